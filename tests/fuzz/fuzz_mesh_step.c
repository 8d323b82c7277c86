/* Any bytes as a mesh file in a scene: the first says which format and which body is made of it, the rest is the file. */
#include "step_fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* TetGen's two files are one input, the elements behind a line "%%ele". */
static const char *const formats[] = {"msh", "inp", "obj", "stl", "vtk", "node"};
static const char *const bodies[] = {
    "dimension: 3\nbodies: [{name: b, type: deformable, mesh: m, material: a}]\n",
    "dimension: 2\nbodies: [{name: b, type: deformable, mesh: m, material: a}]\n",
    "dimension: 3\nbodies: [{name: b, type: shell, mesh: m, material: a, thickness: 1e-3}]\n",
    "dimension: 3\nbodies: [{name: b, type: rigid, mesh: m}]\n",
    "dimension: 2\nbodies: [{name: b, type: rigid, mesh: m}]\n",
    "dimension: 3\nbodies: [{name: b, type: static, mesh: m, thickness: 1e-3}, {name: ball, type: rigid, "
    "shape: {sphere: "
    "{radius: 0.1}}, position: [0, 0, 9]}]\n",
    "dimension: 2\nbodies: [{name: b, type: static, mesh: m}, {name: ball, type: rigid, shape: {sphere: "
    "{radius: 0.1}}, "
    "position: [0, 9]}]\n",
};
enum { FORMATS = sizeof formats / sizeof formats[0], BODIES = sizeof bodies / sizeof bodies[0] };

static char folder[64];

static void leave(void)
{
    char path[100];
    for (int k = 0; k <= FORMATS; ++k) {
        (void)snprintf(path, sizeof path, "%s/m.%s", folder, k < FORMATS ? formats[k] : "ele");
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static void put_file(const char *extension, const uint8_t *data, size_t size)
{
    char path[100];
    (void)snprintf(path, sizeof path, "%s/m.%s", folder, extension);
    FILE *file = fopen(path, "wb");
    must(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "%s/brunt-fuzz-XXXXXX",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        must(mkdtemp(folder) != NULL && atexit(leave) == 0);
    }
    if (size == 0) {
        return 0;
    }
    const char *format = formats[data[0] % FORMATS];
    const char *body = bodies[data[0] / FORMATS % BODIES];
    const bool ipc = data[0] / (FORMATS * BODIES) % 2 == 0;
    const size_t cut = find_word(data, size, "\n%%ele\n");
    if (strcmp(format, "node") == 0 && cut < size) {
        put_file("ele", data + cut + 7, size - cut - 7);
        put_file("node", data + 1, cut);
    } else {
        put_file(format, data + 1, size - 1);
    }
    char text[1000], name[100];
    (void)snprintf(text, sizeof text,
                   "brunt: 1\nmethod: %s\nmaterials: {a: {type: neo_hookean}}\nmeshes: {m: {file: m.%s}}\n%s",
                   ipc ? "ipc" : "none", format, body);
    (void)snprintf(name, sizeof name, "%s/scene.yaml", folder);
    step_fuzz(text, strlen(text), name);
    return 0;
}
