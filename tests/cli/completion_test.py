#!/usr/bin/env python3
"""What the completion scripts offer, asked of the shells themselves.

completion_test.py bash|zsh|fish PROGRAM     exit code 77: that shell is not here
"""
import os, shutil, subprocess, sys, tempfile
from pathlib import Path

# What is typed -> what is offered: all of the first, none of the second.
LINES = [
    ("zerostall st", ["stat"], ["export"]),
    ("zerostall ", ["record", "stat", "doctor", "completion"], ["update"]),
    ("zerostall stat --by ", ["step", "site", "cause"], ["run.zstall"]),
    ("zerostall stat --st", ["--stacks", "--step-pattern"], ["--by"]),
    ("zerostall stat ", ["run.zstall", "trace.json.gz", "ranks/"], ["notes.txt", "gate.toml"]),
    ("zerostall record --device si", ["sim"], ["gpu"]),
    ("zerostall record --stacks ", ["none", "waits", "all"], []),
    ("zerostall export --format c", ["csv", "chrome"], ["json"]),
    ("zerostall verify f", ["flux2", "flux2-lora-8gb"], ["ideogram4"]),
    ("zerostall verify flux2 --fix bn", ["bn-pinning"], ["all"]),
    ("zerostall explain scalar", ["scalar-read"], ["bn-pinning"]),
    ("zerostall check --policy ", ["gate.toml", "ranks/"], ["run.zstall", "notes.txt"]),
    ("zerostall check --out ju", ["junit="], ["json="]),
    ("zerostall check --out junit=no", ["notes.txt"], ["gate.toml"]),
    ("zerostall baseline ", ["update", "show"], ["record"]),
    ("zerostall baseline update --acc", ["--accept-more"], []),
    ("zerostall history show --metric stream", ["stream_syncs"], ["waits"]),
    ("zerostall record -- ./trai", ["./trainer"], ["./run.zstall"]),
    ("zerostall record -- ./trainer no", ["notes.txt"], []),
    ("zerostall record -- ./trainer --st", [], ["--stacks", "--steps"]),
    ("zerostall completion ", ["bash", "zsh", "fish"], ["run.zstall"]),
]

# As readline calls a function: words split at COMP_WORDBREAKS too. What is offered is the rest behind the last of them.
BASH = r"""
compopt() { :; }  # of a completion under way only
source "$script"
complete -p zerostall >/dev/null || exit 9
COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=()
word=
for ((i = 0; i < ${#line}; i++)); do
  c=${line:i:1}
  case $c in
    ' ') [ -n "$word" ] && COMP_WORDS+=("$word"); word= ;;
    '='|':') [ -n "$word" ] && COMP_WORDS+=("$word"); COMP_WORDS+=("$c"); word= ;;
    *) word+=$c ;;
  esac
done
case $line in *[=:]) ;; *) COMP_WORDS+=("$word") ;; esac
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_zerostall zerostall
for one in "${COMPREPLY[@]}"; do [ -d "$one" ] && one=${one%/}/; printf '%s\n' "$one"; done
"""

# An interactive zsh with a key that completes; each `compadd` also writes down what it would offer. One for all lines: it takes a
# second to start.
ZSH = r"""
zmodload zsh/zpty
wait_for() { local i; for ((i = 0; i < 400; i++)); do [[ -e $1 ]] && return; sleep 0.02; done; }
inner() {
  zpty z 'PS1= PS2= exec zsh -f -i'
  zpty -w z "fpath=(${script:h} \$fpath); autoload -Uz compinit; compinit -u -D; cd ${PWD:q}"
  zpty -w z 'compadd() {
    local -a offered; local i has=
    for i in "$@"; do case $i in --) break ;; -O|-A|-D) has=1 ;; esac; done
    if [[ -n $has ]]; then builtin compadd "$@"; return; fi
    builtin compadd -O offered "$@"
    (( $#offered )) && print -rl -- $offered >> '${out:q}'
    builtin compadd "$@"
  }'
  zpty -w z "finish() { BUFFER=; print -rn -- > ${out:q}.done; }; zle -N finish; bindkey '^X' finish; bindkey '^I' complete-word; setopt nobeep nolistambiguous"
  zpty -w z "print -rn -- > ${out:q}.ready"
  wait_for $out.ready
  local one
  for one in "${(@f)line}"; do
    print -r -- "= $one" >> $out
    rm -f $out.done
    zpty -w -n z "$one"$'\t\x18'
    wait_for $out.done
  done
  zpty -d z
}
: > $out
inner >/dev/null 2>&1
cat $out
"""


def ask(shell, script, line, folder):
    environment = {**os.environ, "script": str(script), "line": line, "LC_ALL": "C.UTF-8"}
    if shell == "bash":
        command = ["bash", "--norc", "-c", BASH]
    elif shell == "fish":
        command = ["fish", "--no-config", "-c", 'source $script; complete -C $line']
        environment["HOME"] = str(folder)
    else:
        environment["out"] = str(script.parent / "offered")
        command = ["zsh", "-f", "-c", ZSH]
    done = subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{shell}: {line!r}: exit code {done.returncode}: {done.stderr}")
    return [one.split("\t")[0] for one in done.stdout.splitlines()], done.stderr


def ask_all(shell, script, folder):
    """What is offered for each of LINES, and what the shell complained about."""
    if shell != "zsh":
        return [ask(shell, script, line, folder) for line, _, _ in LINES]
    text, errors = ask(shell, script, "\n".join(line for line, _, _ in LINES), folder)
    answers = []
    for one in text:
        if one.startswith("= "):
            answers.append(([], errors))
        else:  # names of folders come without their slash
            answers[-1][0].append(one + "/" if (folder / one).is_dir() else one)
    return answers


def main():
    shell, program = sys.argv[1:]
    if shutil.which(shell) is None:
        print(f"skipped: no {shell} here")
        return 77
    with tempfile.TemporaryDirectory() as top:
        folder, scripts = Path(top) / "work", Path(top) / "scripts"
        folder.mkdir(), scripts.mkdir(), (folder / "ranks").mkdir()
        for name in ("run.zstall", "trace.json.gz", "notes.txt", "gate.toml"):
            (folder / name).touch()
        (folder / "trainer").write_text("#!/bin/sh\n")
        (folder / "trainer").chmod(0o755)
        script = scripts / "_zerostall"
        script.write_bytes(subprocess.run([program, "completion", shell], stdout=subprocess.PIPE, check=True).stdout)
        subprocess.run([shell, "-n", str(script)], check=True)  # it parses
        failed = 0
        answers = ask_all(shell, script, folder)
        assert len(answers) == len(LINES), f"{shell} answered {len(answers)} of {len(LINES)} lines"
        for (line, wanted, unwanted), (offered, errors) in zip(LINES, answers):
            # Each shell offers the word whole or behind the last = or /; both are right.
            ends = {one for one in offered} | {one.rstrip(" ") for one in offered}
            last = line.rsplit(" ", 1)[-1]
            front = last[: max(last.rfind("="), last.rfind("/")) + 1]
            has = lambda word: word in ends or front + word in ends or (word.startswith(front) and word[len(front):] in ends)
            missing = [word for word in wanted if not has(word)]
            extra = [word for word in unwanted if has(word)]
            if missing or extra or errors:
                failed += 1
                print(f"{shell}: {line!r}: missing {missing}, should not be there {extra}; offered {offered} {errors}")
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
