// Pages of the commands that make and read traces.
#include "profiler/cli/page.h"

namespace zerostall::cli {
namespace {

Page record_page() {
  Page page{"record", TakesCommand::needed};
  page.sections = {
      {"",
       "The command runs as if you had started it yourself: same terminal, input, output and working folder; Ctrl-C "
       "goes "
       "to it, and its exit code becomes ours. Without -o the trace is called run.zstall, run-2.zstall ... One process "
       "that uses CUDA gives a file, several give a folder with a file each (rank0.zstall or process-PID.zstall).\n\n"
       "--device auto takes a working GPU, and simulates one where there is no NVIDIA device at all. On the simulated "
       "GPU "
       "kernels compute nothing: counts are real, values are not; the program finds ZEROSTALL_SIMULATED=1 in its "
       "environment."},
      {"Mark your steps",
       "so that waits are counted per step: torch.cuda.nvtx.mark(f\"step {i}\") at the start of each. A step ends at "
       "the "
       "next mark, so N marks make N - 1 steps. Or put each between range_push(f\"step {i}\") and range_pop()."},
      {"Values for read-backs",
       "--sim-values FILE tells what read-backs return, so that NaN checks, early stopping and asserts go the way they "
       "go "
       "on a GPU:\n"
       "  {\"reads\": [{\"at\": \"train.py:31\", \"bytes\": 4, \"value\": 0.7,\n"
       "              \"type\": \"float32\"}]}\n"
       "A command that failed after such a read gets the entry to start from; all keys: "
       "profiler/simgpu/README-values.md."},
      {"What is in a trace",
       "CUDA calls, GPU work, and what the program itself says: names of kernels, texts of NVTX ranges and marks. Of a "
       "process the names of program and script (relative to its project) and its rank; never values of arguments, "
       "environment, user or serial numbers, and the host's name with --keep-host only.\n\n"
       "What is missing is said: a killed process keeps its calls and marks until then, and GPU work until the last "
       "flush "
       "(every 1/4 s). Where record itself is killed (SIGKILL), its traces stay in a hidden folder beside the target: "
       "zerostall stat .zerostall-XXXXXX"}};
  page.examples = {
      {"zerostall record --device sim -- python train.py", "your own script, no GPU needed",
       "zerostall: run.zstall · simulated H200 · 23 steps, first 2 not judged · 3 waits per step\n"
       "zerostall:      1 per step  cudaMemcpyAsync 1 B device to host + cudaStreamSynchronize\n"
       "...\n"
       "zerostall: next: zerostall stat run.zstall"},
      {"zerostall record --steps 100:120 -- python train.py --epochs 1", "20 steps of a long run on the GPU here"},
      {"zerostall record --device sim:a100 --gpus 2 -- torchrun --nproc-per-node 2 train.py",
       "two ranks: a folder with a trace each"},
      {"zerostall record --device sim --no-tracer -- python with_torch_profiler.py",
       "PyTorch's own profiler, on the simulated GPU"}};
  page.exit_codes = {{"0", "recorded"},
                     {"N", "the command's own exit code where it is not 0; 128 + n: ended by signal n"},
                     {"2", "bad option"},
                     {"3", "the command made no CUDA call"},
                     {"4",
                      "it could not be started, or not all of it was recorded (no place to write, another profiler "
                      "in it)"}};
  page.see_also = {"stat", "check", "doctor"};
  return page;
}

Page stat_page() {
  Page page{"stat"};
  page.sections = {
      {"",
       "The first screen shows the steps, what each waits for, and which lines of the program that comes from. --by "
       "shows "
       "one thing in full. Columns of syncs, copies and stalls that are 0 throughout are left out (--json has all); on "
       "a "
       "narrow terminal places are shortened, then columns go, which is said."},
      {"Words",
       "",
       {{"wait", "a moment in which the host may wait for the GPU; a copy and the sync behind it are one"},
        {"waits/step", "per judged step, 1..3 where it varies; `in all`: in the whole trace"},
        {"GPU ran dry", "waits at whose end the GPU had nothing left to do"},
        {"stream, event, device syncs, blocking copies, blocking memsets",
         "what the waits are made of; a wait can be a copy and a sync, so these do not add up to waits"},
        {"H2D stalls", "waits with a copy from host to device; `H2D stall` is the time in them"},
        {"blocked", "time in the waits; modelled: on the simulated GPU, from a model, not measured"},
        {"avoidable idle",
         "of the time in which the GPU had nothing to do after waits: what would not be, had they not "
         "blocked"},
        {"host-bound",
         "GPU idle because the next launch came late, no wait to blame; dependency: the launch was there, "
         "and waited itself"},
        {"warm-up", "first steps, not judged (--warmup): figures per judged step leave them out"},
        {"unsteady", "a step in which code was loaded or device memory grew: its counts are judged, its times are not"},
        {"outside steps", "before the first step, between steps, after the last"},
        {"unclosed step", "one without an end; a step by nvtx.mark ends at the next mark, so the last one has none"},
        {"background", "threads that do not work for the step (loaders, loggers)"},
        {"implicit", "calls that may wait, such as cudaMalloc and cudaFree; in no total"},
        {"nested", "calls made inside another call of the table"}}}};
  page.examples = {{"zerostall stat", "the newest run*.zstall here",
                    "where                  waits/step   in all   cause                   seen in\n"
                    "train.py:12 in <module>         1       24   finite-check (high)     the line says isnan\n"
                    "train.py:16 in <module>         1       24   scalar-read (high)      the line says print("},
                   {"zerostall stat trace.json.gz --by cause", "what to fix first, and how; a PyTorch profiler trace"},
                   {"zerostall stat run.zstall --by step --csv > steps.csv", "a row for each step"},
                   {"ssh host cat run.zstall | zerostall stat -", "a trace that lies elsewhere"},
                   {"mpirun -n 4 zerostall stat --mpi ranks", "a folder of hundreds of ranks; srun --mpi=pmix too"}};
  page.exit_codes = {{"0", "printed"},
                     {"2", "missing or unrecognised file, or bad option"},
                     {"3", "the trace does not hold what was asked for"},
                     {"4", "--mpi: MPI is missing, or a process of the job died"}};
  page.see_also = {"record", "explain", "diff", "report"};
  return page;
}

Page diff_page() {
  Page page{"diff"};
  page.sections = {{"",
                    "B against A: what is gone is in A only. Counts are compared exactly, per judged step (of whole "
                    "runs where a side "
                    "has no steps). Waits are told apart by what they are and, where both sides have Python stacks, by "
                    "the function and "
                    "the text of the line that they come from: never by its number.\n\n"
                    "Times are compared over steady steps, with a Mann-Whitney test and an interval of the difference "
                    "of medians. A run "
                    "on the simulated GPU compares with a real one in its counts; times are left out then."},
                   {"Words",
                    "",
                    {{"gone, new, changed", "waits of A only, of B only, of both but not equally often"},
                     {"not comparable",
                      "the sides did not do the same work, or not all of it was seen: differences may come from that"},
                     {"steady steps", "judged steps in which no code was loaded and no device memory taken"}}}};
  page.examples = {
      {"zerostall diff before.zstall after.zstall", "what a change did"},
      {"zerostall diff a1 a2 a3 --vs b1 b2 b3", "several runs a side: what runs vary by is in the interval"},
      {"zerostall diff simulated.zstall real.zstall", "does the simulated result hold on your own GPU?",
       "COUNTS EQUAL  3 waits/step, same waits at the same places; times not compared\n"
       "(simulated against measured)"}};
  page.exit_codes = {{"0", "printed, whatever differs"},
                     {"2", "missing or unrecognised file, or bad option"},
                     {"3", "a trace does not hold what was asked for"}};
  page.see_also = {"stat", "report", "check"};
  return page;
}

Page export_page() {
  Page page{"export"};
  page.sections = {
      {"", "Modelled times are said to be modelled, in every format. Waits are those of `zerostall stat`."},
      {"Formats",
       "",
       {{"perfetto",
         "binary trace for https://ui.perfetto.dev and trace_processor: steps, waits, GPU work, GPU idle times "
         "and CUDA calls on tracks of their own; all processes of a recording in one file"},
        {"chrome",
         "the same as Chrome trace JSON, named as PyTorch's profiler names it, for tools that read its files"},
        {"csv", "one table (--table), units in the names of its columns; an empty cell is unknown"},
        {"json", "all that was found, for scripts; --schema prints its JSON Schema"}}}};
  page.examples = {
      {"zerostall export --format perfetto -o run.pftrace", "the newest run here, to look at in a browser"},
      {"zerostall export run.zstall --format csv --table waits > waits.csv", "a row for each wait"},
      {"zerostall export run.zstall --format json | jq '.processes[0].steps[] | .waits'", "a number for each step",
       "3\n3\n3"}};
  page.exit_codes = {{"0", "written"},
                     {"2", "missing or unrecognised file, bad option or unwritable output"},
                     {"3",
                      "the trace does not hold what was asked for (then nothing is written), or some of its "
                      "processes cannot be read"}};
  page.see_also = {"stat", "report"};
  return page;
}

Page report_page() {
  Page page{"report"};
  page.sections = {
      {"",
       "One trace: what waits, where, and what to do about it. Two: what changed from A to B, as `diff` compares "
       "them.\n\n"
       "The page opens from disk and needs nothing else: it can be mailed, or attached to a pull request. Tables, "
       "verdict "
       "and explanations need no script. It holds no source text, no host or user name and no folder of this machine; "
       "names of kernels and of your own NVTX ranges do stand in it. Times of the simulated GPU stand folded, as "
       "modelled."}};
  page.examples = {{"zerostall report -o report.html", "the newest run here"},
                   {"zerostall report before.zstall after.zstall -o report.html", "what a change did"},
                   {"zerostall check --out html=report.html", "with the verdict of the gate on top"},
                   {"zerostall verify flux2 --out html=report.html", "our reference job, fixes off and on"}};
  page.exit_codes = {{"0", "written"},
                     {"2", "missing or unrecognised file, bad option or unwritable output"},
                     {"3", "a trace does not hold what was asked for"}};
  page.see_also = {"diff", "stat", "export"};
  return page;
}

}  // namespace

std::vector<Page> trace_pages() { return {record_page(), stat_page(), diff_page(), export_page(), report_page()}; }

}  // namespace zerostall::cli
