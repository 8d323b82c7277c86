/* brunt design: parameters of a scene that make figures of its run as good as possible. */
#include "commands.h"
#include "run/pool.h"
#include "study/study.h"

#include <limits.h>

int cli_design(int argc, char **argv)
{
    cli_study_args args = {.kind = BRN_DESIGN_SEARCH, .threads = 1, .seed = -1};
    const cli_option options[] = {
        {"out", 'o', CLI_TEXT, "DIR", "folder of the study (default: out/NAME-design)", &args.out, 0, 0, NULL},
        {"jobs", 'j', CLI_INT, "N", "simulations at once (default: one per core); results do not depend on it",
         &args.jobs, 1, CLI_POOL_SLOTS_MAX, NULL},
        {"threads", 0, CLI_INT, "N", "worker threads of each simulation (default 1)", &args.threads, 1, 1024,
         NULL},
        {"evaluations", 0, CLI_INT, "N", "how many points, at most, instead of the problem's number",
         &args.evaluations, 1, INT_MAX, NULL},
        {"seed", 0, CLI_INT, "S", "of the optimiser, instead of the problem's", &args.seed, 0, INT_MAX, NULL},
        {"limit", 0, CLI_INT, "S", "seconds of processor time, beyond which a simulation has failed",
         &args.limit, 1, INT_MAX, NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "override one value of the scene; may be repeated", &args.set, 0, 0,
         NULL},
        {"keep", 0, CLI_FLAG, NULL, "keep the trajectories of all simulations", &args.keep, 0, 0, NULL},
        {"resume", 0, CLI_FLAG, NULL, "go on with the study in the folder", &args.resume, 0, 0, NULL},
        {"overwrite", 0, CLI_FLAG, NULL, "replace the study in the folder", &args.overwrite, 0, 0, NULL},
        {"quiet", 'q', CLI_FLAG, NULL, "print errors only", &args.quiet, 0, 0, NULL},
    };
    const cli_syntax syntax = {
        .command = "design",
        .summary =
            "Searches the parameters of a scene that make an objective over the figures of its run as low (or "
            "high) as possible,\nwithin constraints. Simulations run in processes of their own; every value "
            "goes to a log at once. Ctrl-C stops and\nkeeps everything, --resume goes on from the log to the "
            "same result. 'brunt info design' explains the file.",
        .operand = "PROBLEM",
        .operand_help = "file of a design problem (docs/design.md)",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt design problem.yaml\n"
                    "  brunt design problem.yaml --jobs 4 --evaluations 200 --out out/long\n"
                    "  brunt design problem.yaml --resume\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.path);
    args.operand = args.path;
    if (code == CLI_PARSED) {
        code = cli_study_run(&args);
    }
    cli_list_free(&args.set);
    return code;
}
