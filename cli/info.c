/* brunt info: reference text from the tables that the parser uses. */
#include "commands.h"
#include "terminal/options.h"
#include "terminal/terminal.h"

#include <brunt/design.h>
#include <stdio.h>
#include <string.h>

int cli_info(int argc, char **argv)
{
    const cli_syntax syntax = {
        .command = "info",
        .summary = "Prints what a scene may contain: names, units, defaults and ranges.",
        .operand = "TOPIC",
        .operand_help =
            "methods, materials, elements, scene, figures, the name of one of them, or a key of the scene "
            "(contact, output, time, ...); design: the file of a design problem; none: an overview",
        .examples = "  brunt info\n"
                    "  brunt info materials\n"
                    "  brunt info neo_hookean\n",
    };
    const char *topic = NULL;
    const int code = cli_parse(&syntax, argc, argv, &topic);
    if (code != CLI_PARSED) {
        return code;
    }
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_ctx *ctx = NULL;
    if (brn_ctx_create(&options, &ctx) < 0) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    char *text = NULL;
    const bool design = topic != NULL && strcmp(topic, "design") == 0;
    const brn_status status = design ? brn_design_info(ctx, &text) : brn_info(ctx, topic, &text);
    if (status < 0) {
        cli_error("%s", brn_ctx_message(ctx));
    } else {
        (void)fputs(text, stdout);
    }
    brn_ctx_free(ctx, text);
    brn_ctx_destroy(ctx);
    return status >= 0 ? CLI_DONE : status == BRN_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
}
