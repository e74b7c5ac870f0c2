# Completion of dyno for fish 3.1 or newer; for this shell:  dyno completion fish | source
function __dyno_complete
    set -l typed (commandline -opc)
    set -l command (string replace -r '^~/' $HOME/ -- $typed[1])
    $command _complete fish $typed (commandline -ct) 2>/dev/null | string split0
end
complete -c dyno -f -a '(__dyno_complete)'
