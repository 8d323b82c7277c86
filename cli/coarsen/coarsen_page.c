/* coarsen.html: the modes of both meshes side by side, moving, and the figures. One file, no request to elsewhere. */
#include "coarsen/coarsen_files.h"
#include "terminal/grow_text.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>

static const char head[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\">\n"
    "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:66em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;text-align:right;border-bottom:1px "
    "solid #ddd}"
    "th{font-weight:600}td:first-child,th:first-child{text-align:left}"
    "figure{display:inline-block;margin:.3em;vertical-align:top}canvas{width:30em;max-width:44vw;height:18em;"
    "background:#f4f5f7;"
    "touch-action:none;cursor:grab}figcaption{text-align:center}code{background:#f4f5f7;padding:.1em .3em}"
    ".fits{background:#e8f4e8}</style>\n";

/* Each canvas draws one mesh in one mode: place + phase * moved, lit by the slope of each triangle. */
static const char script[] =
    "const turn={a:-0.9,b:0.45};\n"
    "const vertex=`attribute vec3 p,u;uniform float s;uniform mat3 r;uniform vec2 k;varying vec3 q;varying "
    "float m;\n"
    "void main(){vec3 x=r*(p+s*u);q=x;m=length(u);gl_Position=vec4(x.xy*k,-x.z*0.4,1.);}`;\n"
    "const pixel=`#extension GL_OES_standard_derivatives:enable\\nprecision highp float;varying vec3 "
    "q;varying float m;\n"
    "void main(){vec3 n=normalize(cross(dFdx(q),dFdy(q)));float "
    "l=0.45+0.55*abs(dot(n,normalize(vec3(.3,.5,.8))));\n"
    "float t=clamp(m/0.2,0.,1.);vec3 "
    "c=mix(vec3(.35,.5,.75),mix(vec3(.9,.8,.3),vec3(.8,.2,.15),clamp(2.*t-1.,0.,1.)),clamp(2.*t,0.,1.));\n"
    "gl_FragColor=vec4(c*l,1.);}`;\n"
    "function start(canvas){const mesh=data[canvas.dataset.mesh],g=canvas.getContext('webgl');\n"
    "if(!g){canvas.replaceWith('this browser has no WebGL to show the shape');return null}\n"
    "g.getExtension('OES_standard_derivatives');const wide=g.getExtension('OES_element_index_uint');\n"
    "const "
    "program=g.createProgram();for(const[kind,text]of[[g.VERTEX_SHADER,vertex],[g.FRAGMENT_SHADER,pixel]]){\n"
    "const "
    "shader=g.createShader(kind);g.shaderSource(shader,text);g.compileShader(shader);g.attachShader(program,"
    "shader)}\n"
    "g.linkProgram(program);g.useProgram(program);\n"
    "const fill=(name,list)=>{g.bindBuffer(g.ARRAY_BUFFER,g.createBuffer());\n"
    "g.bufferData(g.ARRAY_BUFFER,new Float32Array(list).map(v=>v/5000),g.STATIC_DRAW);\n"
    "const "
    "at=g.getAttribLocation(program,name);g.enableVertexAttribArray(at);g.vertexAttribPointer(at,3,g.FLOAT,"
    "false,0,0)};\n"
    "fill('p',mesh.place);fill('u',mesh.moved[canvas.dataset.mode]);\n"
    "g.bindBuffer(g.ELEMENT_ARRAY_BUFFER,g.createBuffer());\n"
    "g.bufferData(g.ELEMENT_ARRAY_BUFFER,wide?new Uint32Array(mesh.triangle):new "
    "Uint16Array(mesh.triangle),g.STATIC_DRAW);\n"
    "g.enable(g.DEPTH_TEST);const at=n=>g.getUniformLocation(program,n),s=at('s'),r=at('r'),k=at('k');\n"
    "canvas.addEventListener('pointermove',e=>{if(e.buttons){turn.a+=e.movementX/150;turn.b+=e.movementY/"
    "150}});\n"
    "return phase=>{const "
    "w=canvas.clientWidth,h=canvas.clientHeight;if(canvas.width!==w||canvas.height!==h){canvas.width=w;"
    "canvas.height=h}\n"
    "g.viewport(0,0,w,h);g.clearColor(0.957,0.961,0.969,1);g.clear(g.COLOR_BUFFER_BIT|g.DEPTH_BUFFER_BIT);\n"
    "const[c,d,e,f]=[Math.cos(turn.a),Math.sin(turn.a),Math.cos(turn.b),Math.sin(turn.b)];\n"
    "g.uniformMatrix3fv(r,false,[c,d*f,-d*e,-d,c*f,-c*e,0,e,f]);g.uniform2f(k,1.15*Math.min(1,h/"
    "w),1.15*Math.min(1,w/h));\n"
    "g.uniform1f(s,phase);g.drawElements(g.TRIANGLES,mesh.triangle.length,wide?g.UNSIGNED_INT:g.UNSIGNED_"
    "SHORT,0)}}\n"
    "const draw=[...document.querySelectorAll('canvas')].map(start).filter(f=>f);\n"
    "const still=document.getElementById('still');\n"
    "function frame(t){const phase=still.checked?1:Math.sin(t/400);for(const f of "
    "draw)f(phase);requestAnimationFrame(frame)}\n"
    "requestAnimationFrame(frame)\n";

/* ---- data ------------------------------------------------------------------------------------------------------------------ */

/* Numbers of the nodes on the surface, -1 elsewhere; NULL: out of memory. */
static int *number_surface(const brn_coarsen_shape *s)
{
    int *number = malloc((size_t)(s->nodes > 0 ? s->nodes : 1) * sizeof *number);
    for (int i = 0; number != NULL && i < s->nodes; ++i) {
        number[i] = -1;
    }
    for (int i = 0; number != NULL && i < 3 * s->triangles; ++i) {
        number[s->triangle[i]] = 0;
    }
    for (int i = 0, next = 0; number != NULL && i < s->nodes; ++i) {
        number[i] = number[i] == 0 ? next++ : -1;
    }
    return number;
}

/* Whole numbers are short; a unit is a five-thousandth of half the diagonal, less than a pixel. */
static void add_vectors(cli_text *text, const brn_coarsen_shape *s, const int *number, const double *vector,
                        const double origin[3], double unit)
{
    bool first = true;
    cli_text_add(text, "[");
    for (int i = 0; i < 3 * s->nodes; ++i) {
        if (number[i / 3] >= 0) {
            cli_text_add(text, "%s%.0f", first ? "" : ",", (vector[i] - origin[i % 3]) / unit + 0.0);
            first = false;
        }
    }
    cli_text_add(text, "]");
}

static bool add_mesh(cli_text *text, const brn_coarsening *c, int modes, bool coarse)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    brn_coarsen_shape s;
    (void)brn_coarsen_get_shape(c, 0, coarse, &s);
    int *number = number_surface(&s);
    if (number == NULL) {
        return false;
    }
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * s.nodes; ++i) {
        lo[i % 3] = fmin(lo[i % 3], s.place[i]);
        hi[i % 3] = fmax(hi[i % 3], s.place[i]);
    }
    const double middle[3] = {0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.5 * (lo[2] + hi[2])};
    const double unit = 0.5 * hypot(hypot(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]) / 5000.0;
    cli_text_add(text, "{\"place\":");
    add_vectors(text, &s, number, s.place, middle, unit);
    cli_text_add(text, ",\n\"triangle\":[");
    for (int i = 0; i < 3 * s.triangles; ++i) {
        cli_text_add(text, "%s%d", i > 0 ? "," : "", number[s.triangle[i]]);
    }
    cli_text_add(text, "],\n\"moved\":[");
    for (int m = 0; m < modes; ++m) {
        (void)brn_coarsen_get_shape(c, m, coarse, &s);
        cli_text_add(text, "%s", m > 0 ? ",\n" : "");
        add_vectors(text, &s, number, s.moved, none, unit);
    }
    cli_text_add(text, "]}");
    free(number);
    return true;
}

/* ---- words -------------------------------------------------------------------------------------------------------------------- */

static void add_escaped(cli_text *text, const char *word)
{
    for (const char *c = word; *c != '\0'; ++c) {
        switch (*c) {
        case '<':
            cli_text_add(text, "&lt;");
            break;
        case '&':
            cli_text_add(text, "&amp;");
            break;
        default:
            cli_text_add(text, "%c", *c);
        }
    }
}

static void add_cell(cli_text *text, const char *format, double value)
{
    cli_text_add(text, "<td>");
    if (isfinite(value)) {
        char number[48];
        (void)snprintf(number, sizeof number, format, value);
        cli_text_add(text, "%s", number);
    }
    cli_text_add(text, "</td>");
}

static void add_summary(cli_text *text, const cli_coarsen_output *o, const brn_coarsen_result *r)
{
    brn_coarsen_level fine, coarse;
    (void)brn_coarsen_get_level(o->coarsening, r->fine, &fine);
    (void)brn_coarsen_get_level(o->coarsening, r->coarse, &coarse);
    cli_text_add(text, "<title>coarse ");
    add_escaped(text, o->scene);
    cli_text_add(text, "</title><h1>Body ");
    add_escaped(text, r->body);
    cli_text_add(text, " of ");
    add_escaped(text, o->scene);
    cli_text_add(text,
                 "</h1>\n<p>%d cells move as %d do: shapes of the first %d modes are within %.1f %%, and the "
                 "mean error of %d "
                 "frequencies is %.1f %% after scaling the moduli by %.4g (%.1f %% before).",
                 coarse.cells, fine.cells, BRN_COARSEN_SHAPES, 100.0 * r->distance, r->modes,
                 100.0 * r->error_after, r->scale, 100.0 * r->error_before);
    if (!isnan(r->load)) {
        cli_text_add(
            text,
            " Moduli are such that the load of the scene stores %.4g J in both; by the first frequency "
            "the coarse mesh would have %+.1f %%.",
            r->load, 100.0 * r->load_error);
    }
    if (r->flops_coarse > 0.0) {
        cli_text_add(text, " A linear solve is predicted to take %.3g times fewer operations.",
                     r->flops_fine / r->flops_coarse);
    }
    cli_text_add(text, "</p>\n<p>%s</p>\n<p>",
                 r->converged ? "Finer meshes change the lowest frequencies by less than was asked for."
                              : "The limit of cells ended refining before the frequencies had converged; see "
                                "their extrapolation.");
    for (int i = 0; i < r->changes; ++i) {
        cli_text_add(text, "<code>");
        add_escaped(text, brn_coarsen_change(o->coarsening, i));
        cli_text_add(text, "</code> ");
    }
    cli_text_add(text, "</p>\n");
}

static void add_modes(cli_text *text, const brn_coarsening *c, int modes)
{
    cli_text_add(text,
                 "<h2>Frequencies</h2><table><tr><th>mode</th><th>fine</th><th>extrapolated</th><th>coarse, "
                 "before</th>"
                 "<th>after</th><th>error before</th><th>after</th><th>alike</th><th>distance</th></tr>\n");
    for (int i = 0; i < modes; ++i) {
        brn_coarsen_mode m;
        (void)brn_coarsen_get_mode(c, i, &m);
        cli_text_add(text, "<tr><td>%d</td>", i + 1);
        add_cell(text, "%.5g Hz", m.fine);
        add_cell(text, "%.5g Hz", m.extrapolated);
        add_cell(text, "%.5g Hz", m.before);
        add_cell(text, "%.5g Hz", m.after);
        add_cell(text, "%+.1f %%", 100.0 * m.error_before);
        add_cell(text, "%+.1f %%", 100.0 * m.error_after);
        add_cell(text, "%.4f", m.alike);
        add_cell(text, "%.1f %%", 100.0 * m.distance);
        cli_text_add(text, "</tr>\n");
    }
    cli_text_add(text, "</table>\n");
}

static void add_levels(cli_text *text, const brn_coarsening *c, int levels)
{
    cli_text_add(text, "<h2>Meshes</h2><table><tr><th>for</th><th>edge</th><th>cells</th><th>first "
                       "frequency</th><th>change</th>"
                       "<th>worst distance</th><th>spread</th></tr>\n");
    for (int i = 0; i < levels; ++i) {
        brn_coarsen_level l;
        (void)brn_coarsen_get_level(c, i, &l);
        double worst = l.refining ? NAN : 0.0;
        for (int k = 0; k < BRN_COARSEN_SHAPES && !l.refining; ++k) {
            worst = l.distance[k] <= worst ? worst : l.distance[k];
        }
        cli_text_add(text, "<tr%s><td>%s</td>", l.fits ? " class=\"fits\"" : "",
                     l.refining ? "fine" : "coarse");
        add_cell(text, "x %.3g", l.size);
        add_cell(text, "%.0f", l.cells);
        add_cell(text, "%.5g Hz", l.frequency[0]);
        add_cell(text, "%.2f %%", 100.0 * l.change);
        add_cell(text, "%.1f %%", 100.0 * worst);
        add_cell(text, "%.1f %%", 100.0 * l.spread);
        cli_text_add(text, "</tr>\n");
    }
    cli_text_add(text, "</table>\n");
}

static void add_pictures(cli_text *text, const brn_coarsening *c, int shown)
{
    cli_text_add(text, "<h2>Shapes</h2><p>Fine left, coarse right. Drag to turn. <label><input "
                       "type=\"checkbox\" id=\"still\"> "
                       "stand still</label></p>\n");
    for (int i = 0; i < shown; ++i) {
        brn_coarsen_mode m;
        (void)brn_coarsen_get_mode(c, i, &m);
        for (int coarse = 0; coarse < 2; ++coarse) {
            cli_text_add(
                text,
                "<figure><canvas data-mesh=\"%d\" data-mode=\"%d\"></canvas><figcaption>mode %d, %s: %.5g "
                "Hz</figcaption></figure>\n",
                coarse, i, i + 1, coarse ? "coarse" : "fine", coarse ? m.after : m.fine);
        }
    }
}

bool cli_coarsen_write_page(const cli_coarsen_output *o)
{
    brn_coarsen_result r;
    (void)brn_coarsen_get(o->coarsening, &r);
    const int shown = r.modes < BRN_COARSEN_SHAPES ? r.modes : BRN_COARSEN_SHAPES;
    cli_text text = {0};
    cli_text_add(&text, "%s", head);
    add_summary(&text, o, &r);
    add_pictures(&text, o->coarsening, shown);
    add_modes(&text, o->coarsening, r.modes);
    add_levels(&text, o->coarsening, r.levels);
    cli_text_add(&text, "<script>\nconst data=[");
    bool whole = add_mesh(&text, o->coarsening, shown, false);
    cli_text_add(&text, ",\n");
    whole = whole && add_mesh(&text, o->coarsening, shown, true);
    cli_text_add(&text, "];\n%s</script>\n", script);
    const bool done =
        cli_coarsen_write_file(o->dir, "coarsen.html", whole && !text.failed ? text.bytes : NULL, text.size);
    cli_text_free(&text);
    return done;
}
