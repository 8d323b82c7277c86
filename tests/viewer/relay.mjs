// A relay between browser and server whose connections can be cut, as a network's can. It calls itself by the server's name.
import { connect, createServer } from "node:net";

export async function relay(url) {
    const target = new URL(url);
    const open = new Set();
    const listener = createServer((page) => {
        const server = connect(Number(target.port), target.hostname);
        const pair = { page, server };
        open.add(pair);
        page.on("data", (bytes) => {
            // Host and Origin of a request name the relay; the server would refuse that, and rightly so.
            const text = bytes.toString("latin1");
            server.write(/^[A-Z]+ \//.test(text) ? Buffer.from(text.replaceAll(here(), target.host), "latin1") : bytes);
        });
        server.on("data", (bytes) => page.write(bytes));
        for (const [one, other] of [[page, server], [server, page]]) {
            one.on("error", () => other.destroy());
            one.on("close", () => {
                other.destroy();
                open.delete(pair);
            });
        }
    });
    const here = () => `127.0.0.1:${listener.address().port}`;
    await new Promise((done) => listener.listen(0, "127.0.0.1", done));
    return {
        url: url.replace(target.host, here()),
        cut() {
            open.forEach(({ page, server }) => {
                page.destroy();
                server.destroy();
            });
        },
        close() {
            this.cut();
            listener.close();
        },
    };
}
