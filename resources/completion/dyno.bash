# Completion of dyno for bash 4.4 or newer; for this shell:  source <(dyno completion bash)
_dyno() {
    COMPREPLY=()
    mapfile -d '' -t COMPREPLY < <(
        "${1/#\~\//$HOME/}" _complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null
    )
}
complete -o default -F _dyno dyno
