// The texts of --help.
#pragma once

namespace zerostall::cli {

// What `zerostall` alone prints: ten lines, the three commands to start with.
inline constexpr const char* kShortHelp =
    R"(zerostall counts how often each training step waits for the GPU. No GPU is needed: it can simulate one.

  zerostall record -- python train.py    run your program and record it (--device sim: on the simulated GPU)
  zerostall stat                         show the waits of each step of that run
  zerostall verify flux2                 our reference job: prove that two fixes remove the waits they claim

Mark your steps with torch.cuda.nvtx.mark(f"step {i}"), so that waits are counted per step.
`zerostall doctor` says what works on this machine, `zerostall --help` shows all commands,
`zerostall COMMAND --help` all options of one.
)";

inline constexpr const char* kAbout =
    "zerostall counts how often a training step waits for the GPU, and proves that a fix removes the wait.";

inline constexpr const char* kFooter = R"(Start here:
  zerostall record --device sim -- python train.py    your own script on the simulated GPU; no GPU, no change to it
  zerostall stat                                      every step of that run
  zerostall verify flux2                              the FLUX.2 step with each fix off and on

`zerostall COMMAND --help` tells all options of a command.)";

inline constexpr const char* kRecordFooter =
    R"(The command runs as if you had started it yourself: same terminal, input, output and working folder; Ctrl-C goes to it.
Its exit code becomes ours. Without -o the trace is called run.zstall, run-2.zstall ... One process that uses CUDA gives a
file, several give a folder with one file each (rank0.zstall or process-PID.zstall).

A trace holds CUDA calls, GPU work, and what the program itself says: names of kernels, texts of NVTX ranges and marks. Of
a process it holds the names of program and script (relative to its project) and its rank; never values of arguments,
environment, user, serial numbers, and the host's name with --keep-host only.

What is missing is said: a killed process keeps its calls and marks until then, and GPU work until the last flush (1/4 s).
Where record itself is killed (SIGKILL), its traces stay in a hidden folder beside the target: zerostall stat .zerostall-XXXXXX

--device auto takes a working GPU, and simulates one where there is no NVIDIA device at all. On the simulated GPU kernels
compute nothing: counts are real, values are not; the program finds ZEROSTALL_SIMULATED=1 in its environment.

Mark your steps, so that waits are counted per step: torch.cuda.nvtx.mark(f"step {i}") at the start of each. A step ends
at the next mark, so N marks make N - 1 steps. Or put each between range_push(f"step {i}") and range_pop().

--sim-values FILE tells what read-backs return, so that NaN checks, early stopping and asserts go the way they go on a GPU:
  {"reads": [{"at": "train.py:31", "bytes": 4, "value": 0.7, "type": "float32"}]}
A command that failed after such a read gets the entry to start from; all keys: profiler/simgpu/README-values.md.

Examples:
  zerostall record -- python train.py --epochs 1
  zerostall record --device sim:a100 --gpus 2 -- torchrun --nproc-per-node 2 train.py
  zerostall record --device sim --no-tracer -- python with_torch_profiler.py

Exit codes: the command's own when it is not 0 (128 + n: killed by signal n); else 0 recorded, 3 it made no CUDA call,
4 it could not be started, or not all of it recorded (no place to write, another profiler in it); 2 bad option)";

inline constexpr const char* kStatFooter = R"(Words:
  wait            a moment in which the host may wait for the GPU; a copy and the sync behind it are one
  waits/step      per judged step, 1..3 where it varies; `in all`: in the whole trace
  GPU ran dry     waits at whose end the GPU had nothing left to do
  stream, event, device syncs, blocking copies, blocking memsets
                  what the waits are made of; a wait can be a blocking copy and a sync, so these do not add up to waits
  H2D stalls      waits with a copy from host to device; `H2D stall` is the time in them
  blocked         time in the waits; modelled: on the simulated GPU, from a model, not measured
  avoidable idle  of the time in which the GPU had nothing to do after waits, what would not be, had they not blocked
  host-bound      GPU idle because the next launch came late, no wait to blame; dependency: it had come, and waited itself
  warm-up         first steps, not judged (--warmup): the figures per judged step leave them out
  unsteady        a step in which code was loaded or device memory grew: its counts are judged, its times are not
  outside steps   before the first step, between steps, after the last
  unclosed step   one without an end; a step by nvtx.mark ends at the next mark, so the last one has none
  background      threads that do not work for the step (loaders, loggers)
  implicit        calls that may wait, such as cudaMalloc and cudaFree; in no total
  nested          calls made inside another call of the table
Columns of syncs, copies and stalls that are 0 throughout are left out; --json has all. On a narrow terminal places are
shortened, `seen in` goes below, then columns go, which is said.

Examples:
  zerostall stat --by cause                              what to fix first, and how
  zerostall stat run.zstall --by step --csv > steps.csv
  zerostall stat trace.json.gz --region forward          figures of that NVTX range in the steps
  ssh host cat run.zstall | zerostall stat -
  mpirun -n 4 zerostall stat --mpi DIR                   hundreds of ranks; srun --mpi=pmix -N 32 --ntasks-per-node 1 ...

Exit codes: 0 printed, 2 missing or unrecognised file or bad option, 3 the trace does not hold what was asked for, 4 --mpi: MPI is
missing, or a process of the job died)";

inline constexpr const char* kDiffFooter =
    R"(B against A: what is gone is in A only. Counts are compared exactly, per judged step (of whole runs where a side has no
steps), waits by what they are and, where both sides have Python stacks, by the function, and the text of the line, that they come from: never by its number.

Times are compared over steady steps, with a Mann-Whitney test and an interval of the difference of medians. A run on the
simulated GPU compares with a real one in its counts; times are left out then.

Words:
  gone, new, changed    waits of A only, of B only, of both but not equally often
  not comparable        the sides did not do the same work, or not all of it was seen: differences may come from that
  steady steps          judged steps in which no code was loaded and no device memory taken

Examples:
  zerostall diff before.zstall after.zstall
  zerostall diff a1 a2 a3 --vs b1 b2 b3             several runs a side: what runs vary by is in the interval
  zerostall diff simulated.zstall real.zstall       does the simulated result hold on your own GPU?

Exit codes: 0 printed, whatever differs; 2 missing or unrecognised file or bad option; 3 a trace does not hold what was
asked for)";

inline constexpr const char* kReportFooter =
    R"(One trace: what waits, where, and what to do about it. Two: what changed from A to B, as `diff` compares them.

The page opens from disk and needs nothing else: it can be mailed, or attached to a pull request. Tables, verdict and
explanations need no script. It holds no source text, no host or user name and no folder of this machine; names of
kernels and of your own NVTX ranges do stand in it. Times of the simulated GPU stand folded, as modelled.

Examples:
  zerostall report -o report.html                                the newest run here
  zerostall report before.zstall after.zstall -o report.html
  zerostall check --out html=report.html                         with the verdict of the gate on top
  zerostall verify flux2 --out html=report.html

Exit codes: 0 written, 2 missing or unrecognised file, bad option or unwritable output, 3 a trace does not hold what was
asked for)";

inline constexpr const char* kCheckFooter =
    R"(Runs the command of the policy (or the one behind `--`, or reads traces), judges each step, and says pass, violation
or cannot tell, with the reasons. `zerostall init -- COMMAND` writes a policy to start from; `zerostall init --help`
tells its keys. A baseline (`zerostall baseline update`) holds what was agreed to: it must not get more.

Counts are judged exactly. Times fail only where they were measured, and are significantly more (p < 0.01).

Formats of --out:
  text     for people (what is printed without --out)      md      pull request comment, $GITHUB_STEP_SUMMARY
  github   annotations at file and line                    gitlab  code quality report
  junit    one test case for each limit                    sarif   code scanning (2.1.0)
  json     schema zerostall/check/1                        bencher Bencher Metric Format
  html     one page to open in a browser

Examples:
  zerostall check                                                 all from zerostall.toml
  zerostall check --max waits=0 --device sim -- python train.py   no file needed, no GPU either
  zerostall check run.zstall --policy gate.toml --baseline zerostall.baseline.json
  zerostall check --out junit=waits.xml --out md=- >> $GITHUB_STEP_SUMMARY
  zerostall check --before-rev origin/main --max step_time.median=40ms -- python train.py

Exit codes: 0 pass, 1 violation, 2 bad option, policy or file, 3 cannot tell (0 with cannot_tell = "warn"),
4 the command failed or could not be recorded)";

inline constexpr const char* kBaselineFooter =
    R"(A baseline is a file for your repository, one waiting place a line: `zerostall check --baseline FILE` fails a run that
waits at another place, more at once or more often than it says. Line numbers are not in it, and the number of steps of
a run need not be the same. `update` takes over what improved by itself; what got worse only with --accept-more.

Examples:
  zerostall baseline update run.zstall            the first time: writes zerostall.baseline.json
  zerostall baseline update                       runs the command of zerostall.toml
  zerostall baseline show

Exit codes: 0 written, shown or still true; 1 something got worse, nothing was written; 2 bad option, policy or file;
3 the run cannot be a baseline (cut off, records lost, no marked steps), or is of another device or size;
4 environment, or the command failed)";

inline constexpr const char* kHistoryFooter =
    R"(One SQLite file with the counts of each commit, by device, program, number of ranks and branch. Adding a commit again
replaces it; several jobs may add at the same time.

Examples:
  zerostall history add run.zstall                         HEAD of the repository here
  zerostall history add run.zstall --commit "$CI_COMMIT_SHA" --branch main
  zerostall history show --metric stream_syncs             and the first commit with more
  zerostall history plot

Exit codes: 0 added or shown, 2 bad option, missing or damaged file, no commit; 3 the run has no counts to keep (cut off,
records lost, no marked steps))";

inline constexpr const char* kExplainFooter =
    R"(Without a name all names are listed: the causes of waits that `zerostall stat` tells, and the fixes of `verify`.

Exit codes: 0 printed, 2 unknown name)";

inline constexpr const char* kExportFooter = R"(Formats:
  perfetto   binary trace for https://ui.perfetto.dev and trace_processor: steps, waits, GPU work, GPU idle times and
             CUDA calls on tracks of their own; all processes of a recording in one file
  chrome     the same as Chrome trace JSON, named as PyTorch's profiler names it, for tools that read its files
  csv        one table (--table), units in the names of its columns; an empty cell is unknown
  json       all that was found, for scripts; --schema prints its JSON Schema

Modelled times are said to be modelled, in every format. Waits are those of `zerostall stat`.

Examples:
  zerostall export --format perfetto -o run.pftrace      the newest run here
  zerostall export run.zstall --format csv --table waits > waits.csv
  zerostall export run.zstall --format json | jq '.processes[0].steps[] | .waits'

Exit codes: 0 written, 2 missing or unrecognised file, bad option or unwritable output, 3 the trace does not hold what was
asked for (then nothing is written), or some of its processes cannot be read)";

inline constexpr const char* kInitFooter =
    R"(The command is run and recorded as `record` does it; what it prints goes to standard error. The policy limits each step to
the counts that were seen, so that `zerostall check` fails when a change adds a wait, and says where the waits come from.
Read it, lower what can be lower, and keep it beside the code. A policy that is there is never overwritten without --force.

Examples:
  zerostall init --device sim -- python train.py --steps 20
  zerostall init run.zstall -o -                          from a trace, shown only

A limit on counts is hard. A limit on times is broken only by measured times that are significantly more, by least_effect too;
on the simulated GPU times are modelled, and limits on them refused. A limit is a number (the most in any judged step), a time
("2 ms"), or a table:
  waits = { max = 2, p95 = 1, level = "warn" }            several figures at once
  waits = { at_most = 1, every = 50 }                     at most 1 in any 50 judged steps in a row
Files are named relative to the policy's folder.)";
inline constexpr const char* kInitEnd =
    "Exit codes: 0 written, 2 bad option, or a policy is there, 3 no steps to judge, or the program made no CUDA call, "
    "4 the\n"
    "program failed or could not be recorded; 128 + n when signal n stopped it";

inline constexpr const char* kVerifyFooter = R"(Settings that are run and compared:
  without --fix: no fix, bn-pinning and async-loss alone and together     with --fix: no fix, the named fixes together
  --fix all: no fix, each fix that has something to remove alone, all of them together     --all: that, for every model
It passes when each fix removes exactly the waits it claims, in every judged step, and all that is left is declared.

GPU ran dry: waits after which the GPU had nothing left to do until the host launched again; on a simulated GPU this
depends on modelled kernel times.

Examples:
  zerostall verify flux2
  zerostall verify flux2 --size tiny --accum 4
  zerostall verify flux2 --fix bn-pinning --json
  zerostall verify ideogram4 --fix all
  zerostall verify flux2 --with resume --fix resume-steps-on-cpu
  zerostall verify --all --out md=verify.md
  zerostall verify flux2 --out junit=verify.xml --out md=verify.md
  zerostall verify --catalogue                          each of the 16 classes of causes, its fixed twin, a near miss
  zerostall verify --catalogue scalar-read download     some of them
  zerostall verify --list                               scenarios, sizes, presets, settings, fixes, device models

Exit codes: 0 pass, 1 a fix does not do what it claims, 2 bad option, 3 cannot tell, 4 no GPU, missing part or failed program)";

inline constexpr const char* kDoctorFooter =
    R"(One line each: ok, missing, or what to do. The table counts the functions of each simulated library: modelled do what the
real ones do, accepted return success and do nothing, unsupported fail with "not supported" and are named when called.

Exit codes: 0 all that is needed for --device works, 2 bad option, 4 something does not)";

}  // namespace zerostall::cli
