// Light colouring of a scene's text: what a line's parts are, not what they mean. Every character of the text is in exactly one token.

export type TokenKind = "comment" | "key" | "number" | "text" | "word" | "mark";

export interface Token {
    kind: TokenKind;
    text: string;
}

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;
const NUMERAL = /^([-+]?\.inf|\.nan)$/i;
// A comment, quoted text, a mark, or a run of anything else up to one of those.
const PIECE = /(\s+#.*$|^#.*$)|("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|([[\]{},]|:(?=\s|$)|^\s*-(?=\s|$))|(\s+)|([^\s"'[\]{},:#]+|.)/y;

function push(tokens: Token[], kind: TokenKind, text: string): void {
    const last = tokens[tokens.length - 1];
    if (last !== undefined && last.kind === kind && kind !== "number") {
        last.text += text;
    } else if (text !== "") {
        tokens.push({ kind, text });
    }
}

/** Tokens of one line. */
export function yamlTokens(line: string): Token[] {
    const tokens: Token[] = [];
    let rest = 0;
    // "key:" at the line's start, possibly behind list marks
    const key = /^((?:\s*-\s+)*\s*)("[^"]*"|'[^']*'|[^\s#"'[\]{},-][^#[\]{},:]*?)\s*:(?=\s|$)/.exec(line);
    if (key !== null) {
        push(tokens, "mark", key[1] ?? "");
        push(tokens, "key", key[2] ?? "");
        push(tokens, "mark", key[0].slice((key[1] ?? "").length + (key[2] ?? "").length));
        rest = key[0].length;
    }
    while (rest < line.length) {
        PIECE.lastIndex = rest;
        const piece = PIECE.exec(line);
        if (piece === null) {
            push(tokens, "word", line.slice(rest));
            break;
        }
        rest += piece[0].length;
        if (piece[1] !== undefined) {
            push(tokens, "comment", piece[1]);
        } else if (piece[2] !== undefined) {
            push(tokens, "text", piece[2]);
        } else if (piece[3] !== undefined || piece[4] !== undefined) {
            push(tokens, "mark", piece[0]);
        } else {
            push(tokens, NUMBER.test(piece[0]) || NUMERAL.test(piece[0]) ? "number" : "word", piece[0]);
        }
    }
    return tokens;
}
