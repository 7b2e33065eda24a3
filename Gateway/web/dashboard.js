// The dashboard: a list of the groups, asked for every two seconds, and what the groups in view show, by their stream.
import { Detail } from "./detail.js";
import { Rows, byId, makeButton, setText, timeLeft } from "./rows.js";
import { Gateway, matches, sleep } from "./stream.js";
import { setUpTrial } from "./trial.js";

const maxRows = 200;
/** How many groups the stream follows, and how soon after a change of those in view, in ms. */
const maxFollowed = 50, followAfter = 500;
/** The time between two queries, and that without an answer after which the page says so, in ms. */
const interval = 2000, oldAfter = 5000;
/** The number of pages of groups that a look reads at most: empty groups are among them. */
const maxPages = 10;
/** The number of rates that the page keeps and draws. */
const maxPoints = 60;
const silence = "The gateway does not answer.";
const nameOrder = (a, b) => a.group < b.group ? -1 : a.group > b.group ? 1 : 0;
const orders = {
    group: nameOrder, waiting: (a, b) => (a.waiting ?? 0) - (b.waiting ?? 0) || nameOrder(a, b),
};

/** What the parts of the page need: queries, commands, and a confirmation before something is destroyed. */
const api = {
    gateway: new Gateway("", "", ""),

    /** Returns the answer to a query; `null` after a problem, which it shows if the user has asked. */
    async read(path, isAsked = false) {
        const { isDone, body } = await this.look(path);
        if (isAsked) setText(byId("problem"), isDone ? "" : body?.detail ?? silence);
        return isDone ? body : null;
    },

    /**
     * Returns whether a query was answered in time, the answer or the problem, whether a repetition would fail, too, and
     * after how many ms to ask again if there were too many requests; otherwise 0.
     */
    async look(path) {
        const answer = await this.gateway.fetch(path, { signal: AbortSignal.timeout(oldAfter) }).catch(() => null);
        const body = await answer?.json().catch(() => null) ?? null;
        return {
            isDone: Boolean(answer?.ok && body), body, isDenied: [401, 403, 422].includes(answer?.status),
            laterMs: answer?.status === 429 ? 1000 * (Number(answer.headers.get("Retry-After")) || 1) : 0,
        };
    },

    /** Sends a command, and shows its problem. Returns whether it was accepted. */
    async act(method, path, body) {
        const { status, problem } = await this.gateway.send(method, path, body);
        const isDone = status >= 200 && status < 300;
        setText(byId("problem"), isDone ? "" : problem?.detail ?? silence);
        return isDone;
    },

    /** Returns the answer to a query with a body, or a problem in words. */
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

const isOccupied = ({ active, waiting, paused }) => Boolean(active || waiting || paused);

/** Returns the cells of a suspension. What the access token `name` has set can be ended here, also if the group is empty. */
const suspensionRow = (token, name) => {
    const isOwn = token.startsWith(`${name}:`);
    const resume = makeButton("Resume", `End the suspension ${token}`,
        () => api.act("POST", "/v1/resume", { token: token.slice(name.length + 1) }));
    return {
        cells: [{ name: "th" }, {}, {}, {}, {}, { children: isOwn ? [resume] : [] }],
        patch: ({ group, minPriority, since, by }, cells) => {
            setText(cells[0], token);
            setText(cells[1], group);
            setText(cells[2], minPriority === undefined ? "all popups" : `priorities below ${minPriority}`);
            setText(cells[3], since ? new Date(Number(since)).toLocaleString() : "");
            setText(cells[4], by ?? "");
        },
    };
};

class Groups {
    // What is known of each group: its `state`, and when that was `received`.
    #entries = new Map();
    #changed = new Set();
    #inView = new Set();
    #detail;
    #rows;
    #suspensions;
    #order = "group";
    #direction = 1;
    #isSorted = true;
    #pattern = "*";
    #work = new AbortController();
    #unfollow = null;
    #followTimer = 0;
    #isDrawing = false;
    #hasMore = false;
    #list = "connecting";
    #stream = "connecting";
    // The reasons of refusals: of the list and of the stream.
    #problem = "";
    #why = "";
    // When the query that has no answer yet was sent, and the first that failed since the last complete look; 0: none.
    #askedAt = 0;
    #failedAt = 0;
    groups = [];
    isPaused = false;

    /** `name`: that of the access token. */
    constructor(detail, name) {
        this.#detail = detail;
        const observer = new IntersectionObserver(changes => {
            for (const { target, isIntersecting } of changes) {
                if (isIntersecting) this.#inView.add(target.key);
                else this.#inView.delete(target.key);
            }
            this.#followLater();
        });
        this.#rows = new Rows(byId("groups"), group => this.#row(group), observer);
        this.#suspensions = new Rows(byId("suspensions"), token => suspensionRow(token, name));
        for (const button of byId("groups").tHead.querySelectorAll("button")) {
            button.addEventListener("click", () => this.#sort(button));
        }
        setInterval(() => {
            if (this.isPaused || document.hidden) return;
            this.#rows.refresh();
            this.#detail.tick();
            this.#checkAge();
        }, 1000);
    }

    /** Lists the groups of a pattern from now on. */
    list(pattern) {
        this.#work.abort();
        this.#work = new AbortController();
        this.#pattern = pattern;
        this.#entries.clear();
        this.#rows.replace([], nameOrder);
        this.#list = "connecting";
        this.#askedAt = this.#failedAt = 0;
        this.#followLater();
        this.#ask(this.#work.signal);
    }

    // What the broker answers

    /** Asks for groups and suspensions, one query after the other, and the more rarely, the more queries that takes. */
    async #ask(signal) {
        while (!signal.aborted) {
            const pause = this.isPaused || document.hidden ? interval : await this.#look(signal);
            await sleep(pause, signal);
        }
    }

    /** Asks for all that the lists show, up to the first query without an answer. Returns the ms until the next look. */
    async #look(signal) {
        const begin = performance.now();
        const counts = await this.#counts(signal);
        if (!counts.isDone) return Math.max(interval, counts.laterMs);
        const popups = await this.#query("popups", { active: 1 }, signal);
        if (!popups.isDone) return Math.max(interval, popups.laterMs);
        const suspensions = await this.#query("suspensions", {}, signal);
        if (!suspensions.isDone) return Math.max(interval, suspensions.laterMs);
        this.#failedAt = 0;
        this.#list = "open";
        this.#showHealth();
        if (!this.isPaused) {
            this.#take(counts.groups, popups.body.popups ?? [], begin, performance.now());
            this.#showSuspensions(suspensions.body.suspensions ?? []);
        }
        return interval * counts.pages;
    }

    /** Asks for the groups that show or hold something, until there are as many as the table has, and one more. */
    async #counts(signal) {
        const groups = [];
        let after = "", pages = 0, hasMore = true;
        while (hasMore && pages < maxPages && groups.length <= maxRows) {
            const answer = await this.#query("groups", after && { after }, signal);
            if (!answer.isDone) return answer;
            pages++;
            const found = answer.body.groups ?? [];
            groups.push(...found.filter(isOccupied));
            hasMore = Boolean(answer.body.truncated);
            after = found.at(-1)?.group;
        }
        this.#hasMore = hasMore || groups.length > maxRows;
        return { isDone: true, groups: groups.slice(0, maxRows), pages };
    }

    /** Sends a query about the groups of the pattern, and records what its answer says of the gateway. */
    async #query(name, parameters, signal) {
        const begin = this.#askedAt = performance.now();
        const answer = await api.look(`/v1/${name}?${new URLSearchParams({ group: this.#pattern, ...parameters })}`);
        // Meanwhile there is another pattern.
        if (signal.aborted) return { isDone: false, laterMs: 0 };
        this.#askedAt = 0;
        if (answer.isDenied) {
            this.#list = "denied";
            this.#failedAt = 0;
            this.#problem = answer.body?.detail ?? "the gateway refuses the query";
            this.#showHealth();
        } else if (!answer.isDone && !answer.laterMs) {
            this.#failedAt ||= begin;
        }
        this.#checkAge();
        return answer;
    }

    /** Says that the lists are old if a query has had no answer, or only failures, for some seconds. */
    #checkAge() {
        const since = this.#failedAt || this.#askedAt;
        if (!since || performance.now() - since <= oldAfter) return;
        this.#list = "lost";
        this.#showHealth();
    }

    /** Takes a list that was asked for at `begin`. What the stream says is newer. */
    #take(groups, popups, begin, received) {
        const isLive = this.#stream === "open" ? new Set(this.groups) : new Set();
        const cameLater = group => this.#entries.get(group)?.received > begin;
        const shown = new Map(popups.map(popup => [popup.group, popup]));
        const listed = new Set(groups.map(({ group }) => group));
        for (const counts of groups) {
            if (cameLater(counts.group) || isLive.has(counts.group) && this.#entries.has(counts.group)) continue;
            const popup = shown.get(counts.group);
            const active = counts.active && {
                id: counts.active,
                ...(popup?.id === counts.active && {
                    remainingMs: popup.remainingMs, text: popup.excerpt, presentation: { title: popup.title },
                }),
            };
            this.#entries.set(counts.group, { state: { ...counts, active }, received });
            this.#changed.add(counts.group);
        }
        for (const group of [...this.#entries.keys()]) {
            // Of a group that was empty from its beginning, the stream says nothing.
            if (listed.has(group) || cameLater(group)) continue;
            this.#entries.delete(group);
            this.#changed.add(group);
        }
        this.draw();
    }

    #showSuspensions(suspensions) {
        const order = (a, b) => a.token < b.token ? -1 : 1;
        this.#suspensions.replace(suspensions.map(suspension => [suspension.token, suspension]), order);
        setText(byId("suspensions-count"), suspensions.length ? `In force: ${suspensions.length}` : "None is in force.");
    }

    // What the stream says

    /** Follows the groups in view, and the one whose detail is open. */
    #follow() {
        const groups = this.#rows.keys.filter(group => this.#inView.has(group));
        if (this.#detail.group) groups.unshift(this.#detail.group);
        const followed = [...new Set(groups)].slice(0, maxFollowed);
        if (followed.join(" ") === this.groups.join(" ")) return;
        this.#unfollow?.();
        this.groups = followed;
        this.#unfollow = followed.length ? api.gateway.follow(this) : null;
        this.#showHealth();
    }

    #followLater() {
        this.#followTimer ||= setTimeout(() => {
            this.#followTimer = 0;
            this.#follow();
        }, followAfter);
    }

    show(entry) {
        const { group } = entry.state;
        if (!this.groups.includes(group)) return;
        if (matches(this.#pattern, group)) this.#entries.set(group, entry);
        this.#changed.add(group);
        this.draw();
    }

    setConnection(connection, why) {
        this.#stream = connection;
        this.#why = why;
        this.#showHealth();
    }

    // What the page shows

    #showHealth() {
        const stream = this.groups.length ? this.#stream : "open";
        const words = {
            open: "● connected", connecting: "○ connecting", lost: "○ connection lost: what you see may be old",
            denied: `○ ${this.#list === "denied" ? this.#problem : this.#why || "the gateway does not know the token"}`,
        };
        const state = ["denied", "lost"].find(word => this.#list === word || stream === word) ?? this.#list;
        setText(byId("health"), words[state]);
    }

    draw() {
        if (this.#isDrawing || this.isPaused) return;
        this.#isDrawing = true;
        requestAnimationFrame(() => {
            this.#isDrawing = false;
            if (this.isPaused) return;
            for (const group of this.#changed) {
                const entry = this.#entries.get(group);
                if (!entry || !isOccupied(entry.state)) {
                    this.#rows.delete(group);
                    this.#inView.delete(group);
                } else if (this.#rows.size < maxRows || this.#rows.has(group)) {
                    this.#rows.set(group, this.#value(entry), this.#compare);
                }
                if (group === this.#detail.group) this.#detail.refresh();
            }
            this.#changed.clear();
            this.#keepOrder();
            this.#followLater();
            setText(byId("groups-count"), `Groups that show or hold something: ${this.#rows.size}`
                + (this.#hasMore ? ", and more: filter them" : ""));
        });
    }

    #value({ state, received }) { return { ...state, received }; }

    #compare = (a, b) => this.#direction * orders[this.#order](a, b);

    /** Sorts by a column; the other way round if the rows are in its order. */
    #sort(button) {
        if (this.#order !== button.dataset.sort) this.#direction = 1;
        else if (this.#isSorted) this.#direction = -this.#direction;
        this.#order = button.dataset.sort;
        this.#rows.sort(this.#compare);
        this.#isSorted = true;
        this.#showOrder();
    }

    /** Sorts again after a change, but moves no row that a user is at: until then, there is no order. */
    #keepOrder() {
        const isSorted = this.#rows.keepOrder(this.#compare);
        if (this.#isSorted === isSorted) return;
        this.#isSorted = isSorted;
        this.#showOrder();
    }

    #showOrder() {
        for (const button of byId("groups").tHead.querySelectorAll("[data-sort]")) {
            const isChosen = this.#isSorted && button.dataset.sort === this.#order;
            const word = !isChosen ? "none" : this.#direction > 0 ? "ascending" : "descending";
            button.closest("th").setAttribute("aria-sort", word);
        }
    }

    #row(group) {
        const open = makeButton(group, "", () => {
            this.#detail.open(group);
            this.#followLater();
        }, "link");
        const shown = () => this.#entries.get(group)?.state.active?.id;
        const dismiss = makeButton("Dismiss", `Dismiss what ${group} shows`, async () => {
            const id = shown();
            if (!id || !await api.confirm(`Dismiss the popup ${id} of ${group}?`)) return;
            await api.act("DELETE", `/v1/popups/${encodeURIComponent(id)}`);
        });
        const next = makeButton("Next", `Next popup of ${group}`, async () => {
            const id = shown();
            if (!id || !await api.confirm(`Close the popup ${id} of ${group}, and show the next one?`)) return;
            // The command names no popup: it is for the one that the user has seen.
            if (shown() === id) await api.act("POST", `/v1/advance/${group}`);
            else setText(byId("problem"), `${group} does not show ${id} any more.`);
        });
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
                for (const button of [dismiss, next]) {
                    // A button that is disabled would lose the focus to nowhere.
                    if (!active && button === document.activeElement) open.focus();
                    button.disabled = !active;
                }
            },
        };
    }
}

const refusals = new Rows(byId("refused"), () => ({
    cells: [{ name: "th" }, { className: "number" }],
    patch: ({ reason, count }, cells) => {
        setText(cells[0], reason);
        setText(cells[1], count);
    },
}));

/** Asks for the broker's numbers every two seconds, one query at a time, unless the page is paused. */
const followNumbers = async groups => {
    let before = null;
    for (;;) {
        const now = performance.now();
        const { isDone, body: stats, laterMs } = document.hidden || groups.isPaused ? {} : await api.look("/v1/stats");
        if (isDone && !groups.isPaused) {
            const rate = name => !before ? undefined
                : Math.round((Number(stats[name] ?? 0) - Number(before.stats[name] ?? 0)) * 1000 / (now - before.now));
            byId("what-if").hidden = !stats.gateway?.whatIf;
            const uptime = Math.floor(Number(stats.uptimeMs ?? 0) / 1000);
            const numbers = {
                Broker: stats.version ?? "", Gateway: stats.gateway?.version ?? "", Up: `${Math.floor(uptime / 3600)} h ${Math.floor(uptime / 60) % 60} min`,
                Groups: stats.groups ?? 0, Popups: stats.popups ?? 0, Refused: stats.refused ?? 0,
            };
            for (const [name, value] of Object.entries(numbers)) showNumber(name, value);
            drawRate("Commands/s", rate("commands"));
            drawRate("Events/s", rate("events"));
            showRefusals(stats.refusedByReason ?? []);
            before = { stats, now };
        }
        await sleep(Math.max(interval, laterMs ?? 0));
    }
};

const showRefusals = counts => {
    const present = counts.filter(({ count }) => Number(count ?? 0) > 0);
    byId("refusals").hidden = !present.length;
    refusals.replace(present.map(refusal => [refusal.reason, refusal]), (a, b) => a.reason < b.reason ? -1 : 1);
};

/** Shows a number, and returns its element. */
const showNumber = (name, value) => {
    const list = byId("numbers");
    let pair = [...list.children].find(other => other.firstChild.textContent === name);
    if (!pair) {
        pair = document.createElement("div");
        pair.append(document.createElement("dt"), document.createElement("dd"));
        pair.firstChild.textContent = name;
        list.append(pair);
    }
    setText(pair.children[1], value);
    return pair;
};

const rates = {};

/** Shows a rate, and the last ones as a line. */
const drawRate = (name, value) => {
    const pair = showNumber(name, value ?? "–");
    if (value === undefined) return;
    const points = rates[name] = [...rates[name] ?? [], Math.max(0, value)].slice(-maxPoints);
    if (!pair.querySelector("svg")) {
        const [svg, line] = ["svg", "polyline"].map(word => document.createElementNS("http://www.w3.org/2000/svg", word));
        svg.setAttribute("viewBox", `0 0 ${maxPoints - 1} 20`);
        svg.setAttribute("role", "img");
        svg.append(line);
        const place = document.createElement("dd");
        place.append(svg);
        pair.append(place);
    }
    const most = Math.max(...points), first = maxPoints - points.length;
    pair.querySelector("svg").setAttribute("aria-label", `The last ${points.length}: at most ${most}`);
    pair.querySelector("polyline").setAttribute(
        "points", points.map((point, place) => `${first + place},${19 - 18 * point / (most || 1)}`).join(" "));
};

const setUpForm = () => {
    const form = byId("ask");
    const fields = () => Object.fromEntries(new FormData(form));
    const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
    const showCurl = () => {
        const { group, title, text, priority, seconds } = fields();
        const query = new URLSearchParams({ ...(title && { title }), priority, duration: `${seconds}s` });
        // With `-d`, a text that begins with @ would name a file.
        setText(byId("curl"), `curl -H "Authorization: Bearer $TOKEN" --data-raw ${quoted(text)} `
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

// The address may have a token and a pattern: /#token=pg_…&group=build/*
const address = new URLSearchParams(location.hash.slice(1)), patternOfAddress = address.get("group")?.trim() ?? "";

/** Keeps a pattern in the address of the page, from which the token is taken away. */
const keepPattern = pattern => history.replaceState(null, "", location.pathname
    + (pattern ? `#group=${encodeURIComponent(pattern).replaceAll("%2F", "/")}` : ""));

/** Shows the groups of the pattern in the address, or else the first that the token may query. */
const start = async () => {
    const ask = () => api.gateway.send("GET", "/v1/session-cookie");
    let { status, result } = await ask();
    // Without the rights, the page would ask for what it may not.
    while (!result && status !== 401) {
        await sleep(2000);
        ({ status, result } = await ask());
    }
    if (status === 401) return false;
    const patterns = result.rights?.query ?? [], hasAll = patterns.includes("*");
    byId("patterns").replaceChildren(...patterns.map(pattern => new Option(pattern)));
    byId("pattern").value = patternOfAddress || (hasAll ? "*" : patterns[0] ?? "*");
    byId("login").hidden = true;
    byId("work").hidden = byId("leave").hidden = false;
    const detail = new Detail(api);
    const groups = new Groups(detail, result.name ?? "");
    byId("filter").addEventListener("submit", event => {
        event.preventDefault();
        const pattern = byId("pattern").value.trim();
        keepPattern(pattern);
        groups.list(pattern);
    });
    byId("pause").addEventListener("change", event => {
        groups.isPaused = detail.isPaused = event.target.checked;
        groups.draw();
        detail.refresh();
    });
    groups.list(byId("pattern").value);
    setUpForm();
    setUpTrial(api);
    if (hasAll) followNumbers(groups);
    return true;
};

/** Returns why a login was refused, and when to try again. */
const refusal = async answer => {
    if (answer.status === 401) return "The gateway does not know this token.";
    const problem = await answer.json().catch(() => null), seconds = Number(answer.headers.get("Retry-After"));
    return `${problem?.detail ?? `The gateway answers with the status ${answer.status}`}`
        + (seconds > 0 ? ` (try again in ${timeLeft(1000 * seconds)})` : "");
};

const logIn = async token => {
    const answer = await new Gateway("", token, "").fetch("/v1/session-cookie", { method: "POST" }).catch(() => null);
    const isIn = Boolean(answer?.ok && await start());
    setText(byId("login-problem"), isIn ? "" : !answer ? silence
        : answer.ok ? "The browser keeps no cookie for this page." : await refusal(answer));
    return isIn;
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
    const token = address.get("token");
    if (token) keepPattern(patternOfAddress);
    if (token ? await logIn(token) : await start()) return;
    byId("login").hidden = false;
    byId("token").focus();
};

begin();
