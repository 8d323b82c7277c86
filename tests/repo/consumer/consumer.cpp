// The headers are clean C++, and the library links from there.
#include <brunt/brunt.h>
#include <brunt/study.h>

#include <cstdio>

int main()
{
    brn_ctx *ctx = nullptr;
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 2;
    if (brn_ctx_create(&options, &ctx) < 0) {
        return 1;
    }
    char *text = nullptr;
    const brn_status status = brn_info(ctx, "methods", &text);
    std::printf("%s\n", text != nullptr ? text : brn_ctx_message(ctx));
    brn_ctx_free(ctx, text);
    if (brn_vibration_options_default().modes != 10) {
        return 1;
    }
    brn_ctx_destroy(ctx);
    return status < 0 ? 1 : 0;
}
