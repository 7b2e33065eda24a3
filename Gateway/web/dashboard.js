// The dashboard: what all groups show, by the stream of their states.
import { Detail } from "./detail.js";
import { Rows, byId, makeButton, setText, timeLeft } from "./rows.js";
import { Gateway, sleep } from "./stream.js";
import { setUpTrial } from "./trial.js";

const maxRows = 200;
const silence = "The gateway does not answer.";
const nameOrder = (a, b) => a.group < b.group ? -1 : a.group > b.group ? 1 : 0;
const orders = {
    group: nameOrder, waiting: (a, b) => (a.waiting ?? 0) - (b.waiting ?? 0) || nameOrder(a, b),
};

/** What the parts of the page need: questions, commands, and a word before something is destroyed. */
const api = {
    gateway: new Gateway("", "", ""),

    /** Returns the answer to a question; `null` after a problem, which it shows if the user has asked. */
    async read(path, isAsked = false) {
        const answer = await this.gateway.fetch(path).catch(() => null);
        const body = await answer?.json().catch(() => null);
        if (isAsked) setText(byId("problem"), answer?.ok ? "" : body?.detail ?? silence);
        return answer?.ok ? body : null;
    },

    /** Sends a command, and shows its problem. Returns whether it was accepted. */
    async act(method, path, body) {
        const { status, problem } = await this.gateway.send(method, path, body);
        const isDone = status >= 200 && status < 300;
        setText(byId("problem"), isDone ? "" : problem?.detail ?? silence);
        return isDone;
    },

    /** Returns the answer to a question with a body, or a problem in words. */
    async ask(path, body) {
        const { result, problem } = await this.gateway.send("POST", path, body);
        return result ? { result } : { problem: problem?.detail ?? silence };
    },

    confirm(text) {
        const dialog = byId("confirm");
        setText(byId("confirm-text"), text);
        dialog.returnValue = "no";
        dialog.showModal();
        return new Promise(resolve => {
            dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
        });
    },
};

class Groups {
    #states = new Map();
    #changed = new Set();
    #detail;
    #rows;
    #order = "group";
    #direction = 1;
    #unfollow = null;
    #isDrawing = false;
    groups = ["*"];
    isPaused = false;

    constructor(detail) {
        this.#detail = detail;
        this.#rows = new Rows(byId("groups"), group => this.#row(group));
        for (const button of byId("groups").tHead.querySelectorAll("button")) {
            button.addEventListener("click", () => this.#sort(button));
        }
        setInterval(() => { if (!this.isPaused && !document.hidden) this.#rows.refresh(); }, 1000);
    }

    follow(pattern) {
        this.#unfollow?.();
        this.#states.clear();
        this.#rows.replace([], nameOrder);
        this.groups = [pattern];
        this.#unfollow = api.gateway.follow(this);
    }

    // What the stream says

    show(entry) {
        const { state } = entry;
        if (state.active || state.waiting || state.paused) this.#states.set(state.group, entry);
        else this.#states.delete(state.group);
        this.#changed.add(state.group);
        this.draw();
    }

    setConnection(connection) {
        const words = {
            open: "● connected", connecting: "○ connecting", lost: "○ connection lost: what you see may be old",
            denied: "○ the token has no right to watch these groups",
        };
        setText(byId("health"), words[connection]);
    }

    // What the page shows

    draw() {
        if (this.#isDrawing || this.isPaused) return;
        this.#isDrawing = true;
        requestAnimationFrame(() => {
            this.#isDrawing = false;
            if (this.isPaused) return;
            for (const group of this.#changed) {
                const entry = this.#states.get(group);
                if (!entry) this.#rows.delete(group);
                else if (this.#rows.size < maxRows || this.#rows.has(group)) this.#rows.set(group, this.#value(entry), this.#compare);
                if (group === this.#detail.group) this.#detail.refresh();
            }
            this.#changed.clear();
            for (const [group, entry] of this.#states) {
                if (this.#rows.size >= Math.min(maxRows, this.#states.size)) break;
                if (!this.#rows.has(group)) this.#rows.set(group, this.#value(entry), this.#compare);
            }
            const more = this.#states.size - this.#rows.size;
            setText(byId("groups-count"), `Groups that show or hold something: ${this.#rows.size}`
                + (more > 0 ? `, and ${more} more: filter them` : ""));
        });
    }

    #value({ state, received }) { return { ...state, received }; }

    #compare = (a, b) => this.#direction * orders[this.#order](a, b);

    #sort(button) {
        const isSame = this.#order === button.dataset.sort;
        this.#direction = isSame ? -this.#direction : 1;
        this.#order = button.dataset.sort;
        for (const head of byId("groups").tHead.querySelectorAll("[aria-sort]")) {
            const isChosen = head.contains(button);
            head.setAttribute("aria-sort", !isChosen ? "none" : this.#direction > 0 ? "ascending" : "descending");
        }
        this.#rows.sort(this.#compare);
    }

    #row(group) {
        const open = makeButton(group, "", () => this.#detail.open(group), "link");
        const dismiss = makeButton("Dismiss", `Dismiss what ${group} shows`, async () => {
            const { id } = this.#states.get(group)?.state.active ?? {};
            if (!id || !await api.confirm(`Dismiss the popup ${id} of ${group}?`)) return;
            await api.act("DELETE", `/v1/popups/${encodeURIComponent(id)}`);
        });
        const next = makeButton("Next", `Next popup of ${group}`, () => api.act("POST", `/v1/advance/${group}`));
        const title = document.createElement("span");
        return {
            cells: [
                { name: "th", children: [open] }, { children: [title] }, { className: "number" }, { className: "number" },
                { className: "number" }, { children: [dismiss, next] },
            ],
            patch: ({ active, waiting, paused, offered, received }, cells) => {
                const words = active?.presentation?.title || active?.text || active?.id || "";
                setText(title, offered ? `${words} (offered)` : words);
                title.dataset.style = active?.presentation?.style ?? "";
                // Without a time it is NaN.
                const left = received + active?.remainingMs - performance.now();
                setText(cells[2], timeLeft(isNaN(left) ? undefined : left));
                setText(cells[3], waiting ?? 0);
                setText(cells[4], paused ?? 0);
                for (const button of [dismiss, next]) button.disabled = !active;
            },
        };
    }
}

/** Asks for the broker's numbers every two seconds, one question at a time. */
const followNumbers = async () => {
    let before = null;
    for (;;) {
        const now = performance.now();
        const stats = document.hidden ? null : await api.read("/v1/stats");
        if (stats) {
            const rate = name => !before ? "–"
                : Math.round((Number(stats[name] ?? 0) - Number(before.stats[name] ?? 0)) * 1000 / (now - before.now));
            byId("what-if").hidden = !stats.gateway?.whatIf;
            const uptime = Math.floor(Number(stats.uptimeMs ?? 0) / 1000);
            const numbers = {
                Broker: stats.version ?? "", Gateway: stats.gateway?.version ?? "", Up: `${Math.floor(uptime / 3600)} h ${Math.floor(uptime / 60) % 60} min`,
                Groups: stats.groups ?? 0, Popups: stats.popups ?? 0, Refused: stats.refused ?? 0,
                "Commands/s": rate("commands"), "Events/s": rate("events"),
            };
            for (const [name, value] of Object.entries(numbers)) showNumber(name, value);
            before = { stats, now };
        }
        await sleep(2000);
    }
};

const showNumber = (name, value) => {
    const list = byId("numbers");
    let pair = [...list.children].find(other => other.firstChild.textContent === name);
    if (!pair) {
        pair = document.createElement("div");
        pair.append(document.createElement("dt"), document.createElement("dd"));
        pair.firstChild.textContent = name;
        list.append(pair);
    }
    setText(pair.lastChild, value);
};

const setUpForm = () => {
    const form = byId("ask");
    const fields = () => Object.fromEntries(new FormData(form));
    const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
    const showCurl = () => {
        const { group, title, text, priority, seconds } = fields();
        const query = new URLSearchParams({ ...(title && { title }), priority, duration: `${seconds}s` });
        setText(byId("curl"), `curl -H "Authorization: Bearer $TOKEN" -d ${quoted(text)} `
            + quoted(`${location.origin}/v1/show/${group}?${query}`));
    };
    form.addEventListener("input", showCurl);
    form.addEventListener("submit", event => {
        event.preventDefault();
        const { group, title, text, priority, seconds } = fields();
        api.act("POST", "/v1/popups", {
            group, text, priority: Number(priority), durationMs: Number(seconds) * 1000, presentation: { title },
        });
    });
    showCurl();
};

const start = () => {
    byId("login").hidden = true;
    byId("work").hidden = byId("leave").hidden = false;
    const detail = new Detail(api);
    const groups = new Groups(detail);
    byId("filter").addEventListener("submit", event => {
        event.preventDefault();
        groups.follow(byId("pattern").value.trim());
    });
    byId("pause").addEventListener("change", event => {
        groups.isPaused = detail.isPaused = event.target.checked;
        groups.draw();
        detail.refresh();
    });
    groups.follow("*");
    setUpForm();
    setUpTrial(api);
    followNumbers();
};

const logIn = async token => {
    const answer = await new Gateway("", token, "").fetch("/v1/session-cookie", { method: "POST" }).catch(() => null);
    setText(byId("login-problem"), answer?.ok ? "" : answer ? "The gateway does not know this token."
        : silence);
    if (answer?.ok) start();
    return answer?.ok;
};

const begin = async () => {
    // Another token in the address of this page does not load it again.
    window.addEventListener("hashchange", () => location.reload());
    byId("login").addEventListener("submit", event => {
        event.preventDefault();
        logIn(byId("token").value.trim());
    });
    byId("leave").addEventListener("click", async () => {
        await api.act("DELETE", "/v1/session-cookie");
        location.reload();
    });
    const token = new URLSearchParams(location.hash.slice(1)).get("token");
    if (token) {
        history.replaceState(null, "", location.pathname);
        if (await logIn(token)) return;
    } else if ((await api.gateway.fetch("/v1/stats")).status !== 401) return start();
    byId("login").hidden = false;
    byId("token").focus();
};

begin();
