#compdef dyno
# Completion of dyno for zsh; for this shell:  source <(dyno completion zsh)
_dyno() {
    local -a found typed
    typed=("${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}")
    found=("${(@0)$("${typed[1]/#\~\//$HOME/}" _complete zsh "${typed[@]}" 2>/dev/null && print -n .)}")
    found[-1]=()
    if (( $#found )); then
        compadd -a found
    else
        _files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _dyno "$@"
else
    compdef _dyno dyno
fi
