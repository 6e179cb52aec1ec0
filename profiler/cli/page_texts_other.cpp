// Pages of the program itself, of our reference jobs, and of setup.
#include "profiler/cli/page.h"

namespace zerostall::cli {
namespace {

Page program_page() {
  Page page{""};
  page.sections = {{"", "`zerostall COMMAND --help` tells all options of a command."}};
  page.examples = {{"zerostall record --device sim -- python train.py",
                    "your own script on the simulated GPU; no GPU, no change to it"},
                   {"zerostall stat", "every step of that run"},
                   {"zerostall check --max waits=0 --device sim -- python train.py", "the same as a gate for CI"},
                   {"zerostall verify flux2", "our reference job: the FLUX.2 step with each fix off and on"}};
  page.exit_codes = {{"0", "pass, written or printed"},
                     {"1", "violation"},
                     {"2", "bad option, unknown name, unreadable or unwritable file"},
                     {"3", "cannot tell: a trace does not hold what was asked for"},
                     {"4", "environment: something that is needed is missing or does not work"}};
  page.see_also = {"record", "stat", "check", "doctor"};
  return page;
}

Page verify_page() {
  Page page{"verify"};
  page.sections = {
      {"",
       "It passes when each fix removes exactly the waits it claims, in every judged step, and all that is left is "
       "declared. GPU ran dry: waits after which the GPU had nothing left to do until the host launched again; on a "
       "simulated GPU this depends on modelled kernel times."},
      {"What is run and compared",
       "",
       {{"without --fix", "no fix, bn-pinning and async-loss alone and together"},
        {"with --fix", "no fix, the named fixes together"},
        {"--fix all", "no fix, each fix that has something to remove alone, all of them together"},
        {"--all", "that, for every model"},
        {"--catalogue", "each class of causes, its fixed twin, and a near miss"}}}};
  page.examples = {
      {"zerostall verify flux2", "the reference job",
       "region train              waits/step   GPU ran dry (modelled)   stream syncs\n"
       "    no fix                         3                        3              3\n"
       "    bn-pinning + async-loss        0                        0              0\n"
       "PASS  0 host waits inside `train` in each of 10 judged steps, both fixes on"},
      {"zerostall verify ideogram4 --fix all", "another model: none, each fix that applies, all"},
      {"zerostall verify flux2 --with resume --fix resume-steps-on-cpu", "a resumed run, and the fix for it"},
      {"zerostall verify --all --out md=verify.md", "every model, one table"},
      {"zerostall verify --catalogue scalar-read download", "two of the classes of causes"},
      {"zerostall verify --list", "scenarios, sizes, presets, settings, fixes, device models"}};
  page.exit_codes = {{"0", "pass"},
                     {"1", "a fix does not do what it claims"},
                     {"2", "bad option"},
                     {"3", "cannot tell"},
                     {"4", "no GPU, missing part or failed program"}};
  page.see_also = {"explain", "doctor"};
  return page;
}

Page explain_page() {
  Page page{"explain"};
  page.sections = {
      {"",
       "Without a name all names are listed: the causes of waits that `zerostall stat` tells, and the fixes "
       "of `verify`."}};
  page.examples = {{"zerostall explain", "all names, a line each"},
                   {"zerostall explain scalar-read", "what it looks like, and what to write instead"},
                   {"zerostall explain bn-pinning", "a fix of our reference jobs"}};
  page.exit_codes = {{"0", "printed"}, {"2", "unknown name"}};
  page.see_also = {"stat", "verify"};
  return page;
}

Page doctor_page() {
  Page page{"doctor"};
  page.sections = {
      {"",
       "A line for each thing: ok, note or problem, with what to do below it. A problem stands in the way of recording "
       "with that device; a note may explain a surprise. Nothing is changed, no program of yours is started but the "
       "Python it asks for the version of torch (which is not imported), and values of environment variables, user and "
       "host names are never printed.\n\n"
       "The table of --verbose and of --device sim counts the functions of each simulated library: modelled do what "
       "the "
       "real ones do, accepted return success and do nothing, unsupported fail with \"not supported\" and are named "
       "when "
       "called."}};
  page.examples = {
      {"zerostall doctor", "can I record here, and how?",
       "note     GPU             none: no NVIDIA driver (libcuda.so.1 not found)\n"
       "                         to do: nothing for the simulated GPU; on a machine with a GPU, install its driver\n"
       "ok       torch           2.11.0+cu130 (Python 3.11.2): known to the simulated GPU\n"
       "recording works here on the simulated GPU"},
      {"zerostall doctor --device gpu", "is the real GPU ready? Exit code 4 where it is not"},
      {"zerostall doctor --python .venv/bin/python", "the torch of another environment"},
      {"zerostall doctor --json | jq '.checks[] | select(.status == \"problem\")'", "for scripts"}};
  page.exit_codes = {
      {"0", "recording works in some way (with --device: on that device)"}, {"2", "bad option"}, {"4", "it does not"}};
  page.see_also = {"record", "verify"};
  return page;
}

Page completion_page() {
  Page page{"completion"};
  page.sections = {
      {"",
       "The script completes commands, options, names (devices, formats, scenarios, presets, causes, fixes, metrics) "
       "and "
       "files of the kinds a command reads. Behind `--` your own command completes as it does without zerostall. It is "
       "made from the options of this version: print it again after an update."}};
  page.examples = {
      {"zerostall completion bash > ~/.local/share/bash-completion/completions/zerostall",
       "bash, with the package bash-completion"},
      {"zerostall completion zsh > ~/.zfunc/_zerostall", "zsh; `fpath+=~/.zfunc` before compinit in .zshrc"},
      {"zerostall completion fish > ~/.config/fish/completions/zerostall.fish", "fish"}};
  page.exit_codes = {{"0", "printed"}, {"2", "unknown shell"}};
  page.see_also = {"doctor"};
  return page;
}

}  // namespace

std::vector<Page> other_pages() {
  return {program_page(), verify_page(), explain_page(), doctor_page(), completion_page()};
}

}  // namespace zerostall::cli
