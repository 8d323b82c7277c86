#include "picture/browser.h"

#include "terminal/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_browser_find(char *path, size_t size)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome",
                                        "google-chrome-stable"};
    const char *chosen = getenv("BRUNT_CHROMIUM");
    if (chosen != NULL && chosen[0] != '\0') {
        if (!cli_program_find(chosen, path, size)) {
            cli_error("BRUNT_CHROMIUM is '%s', which is not a program that can be run", chosen);
            return false;
        }
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (cli_program_find(names[i], path, size)) {
            return true;
        }
    }
    cli_error("pictures are drawn by Chromium, which is not in PATH: install it (Debian: apt install "
              "chromium), or name "
              "its program in BRUNT_CHROMIUM");
    return false;
}

bool cli_browser_start(cli_browser *browser, const char *path, const char *url, int width, int height)
{
    *browser = (cli_browser){.process = {.in = -1}};
    if (!cli_scratch_make(browser->folder)) {
        return false;
    }
    char profile[CLI_SCRATCH_SIZE + 32], log[CLI_SCRATCH_SIZE + 32], size[48];
    (void)snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", browser->folder);
    (void)snprintf(log, sizeof log, "%s/log", browser->folder);
    (void)snprintf(size, sizeof size, "--window-size=%d,%d", width, height);
    const char *arguments[32] = {
        path,
        "--headless=new",
        profile,
        size,
        "--force-device-scale-factor=1",
        "--force-color-profile=srgb",
        /* Drawn by the processor: the same picture on every machine, with and without a graphics card. */
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
        /* An invisible page must still be drawn at once. */
        "--disable-background-timer-throttling",
        "--disable-renderer-backgrounding",
        "--disable-backgrounding-occluded-windows",
        /* It talks to nobody but us. */
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--no-proxy-server",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
        "--disable-breakpad",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--no-default-browser-check",
        "--password-store=basic",
        "--mute-audio",
    };
    int count = 0;
    while (arguments[count] != NULL) {
        ++count;
    }
    if (geteuid() == 0) {
        arguments[count++] = "--no-sandbox"; /* it refuses to start for root otherwise */
    }
    arguments[count] = url;
    /* execv takes them without const, and leaves them alone. */
    return cli_process_start(&browser->process, (char *const *)(const void *)arguments, log, browser->folder,
                             false);
}

void cli_browser_words(const cli_browser *browser, char *line, size_t size)
{
    char path[CLI_SCRATCH_SIZE + 32], read[512];
    line[0] = '\0';
    (void)snprintf(path, sizeof path, "%s/log", browser->folder);
    FILE *file = fopen(path, "r");
    for (long lines = 0; file != NULL && lines < 100000 && fgets(read, sizeof read, file) != NULL; ++lines) {
        const size_t length = strcspn(read, "\r\n");
        if (length > 0) {
            (void)snprintf(line, size, "%.*s", (int)length, read);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

void cli_browser_stop(cli_browser *browser)
{
    cli_process_kill(&browser->process);
    cli_scratch_remove(browser->folder);
    browser->folder[0] = '\0';
}
