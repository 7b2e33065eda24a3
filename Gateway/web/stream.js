// Streams of a gateway: the present states of groups, whatever happens to the connection.

/** How long a stream may be away before its listeners are told, in ms. */
const lostAfter = 5000;
/** A page that nobody has seen for so long gives its connections back, in ms. */
const hiddenFor = 3000;
/** So long after the loss of a stream the page is back within seconds, in ms: it waits `soon` at most, later 30 s. */
const outage = 300_000, soon = 4000;
/** A request without an answer for so long counts as one that did not reach the gateway, in ms: it answers within 30 s. */
const answerTime = 40_000;

/** The name of this tab, new at each load: a copied tab is another one, also if its address names the same renderer. */
export const tabName = "web-" + [...crypto.getRandomValues(new Uint8Array(8))]
    .map(byte => byte.toString(16).padStart(2, "0")).join("");

export const sleep = (ms, signal) => new Promise(resolve => {
    // A signal may live as long as the page: nothing of what is over stays with it.
    const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
});

/**
 * Calls `leave` when the page is left, or hidden for a while, and `come(wasAway)` when it is seen again. The browser may
 * keep a page that is left for the way back, and has six connections to a host by HTTP/1.1, for all its pages together.
 */
export const followSight = (come, leave) => {
    let isAway = false, timer = 0;
    const go = () => {
        clearTimeout(timer);
        if (!isAway) leave();
        isAway = true;
    };
    const look = () => {
        clearTimeout(timer);
        if (document.hidden) return timer = setTimeout(go, hiddenFor);
        const wasAway = isAway;
        isAway = false;
        come(wasAway);
    };
    window.addEventListener("pagehide", go);
    window.addEventListener("pageshow", ({ persisted }) => persisted && isAway && look());
    document.addEventListener("visibilitychange", look);
    if (document.hidden) look();
};

/** Returns the objects of an answer of JSON lines, and calls `heard` for each piece that arrives. */
async function* lines(body, heard) {
    const decoder = new TextDecoder();
    let text = "";
    for (const reader = body.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) return;
        heard();
        const lines = (text + decoder.decode(value, { stream: true })).split("\n");
        text = lines.pop();
        for (const line of lines) if (line) yield JSON.parse(line);
    }
}

/** Whether a state is newer than another of its group. 64-bit numbers are texts, and compared as integers. */
const isNewer = (state, other) => {
    const [epoch, otherEpoch] = [BigInt(state.epoch), BigInt(other.epoch)];
    return epoch > otherEpoch || epoch === otherEpoch && BigInt(state.revision ?? 0) > BigInt(other.revision ?? 0);
};

/** Whether a pattern matches a group: `*`, `build/*`, or the group's name. */
export const matches = (pattern, group) => pattern === "*" || pattern === group
    || pattern.endsWith("/*") && group.startsWith(pattern.slice(0, -1));

/**
 * One stream for all listeners of a page with the same gateway, token and client name; and, where the browser can do that,
 * one for all its pages that only watch the same groups. A page that nobody sees has no stream, and is no renderer.
 */
class Feed {
    static #feeds = new Map();

    /** Returns the feed of a gateway. */
    static of(gateway) {
        const key = JSON.stringify([gateway.source, gateway.token, gateway.client]);
        if (!Feed.#feeds.has(key)) Feed.#feeds.set(key, new Feed(gateway));
        return Feed.#feeds.get(key);
    }

    #gateway;
    #listeners = new Set();
    #states = new Map();
    #groups = "";
    #stream = null;
    #isSynced = false;
    // Whether the gateway has its broker, as it says.
    #hasBroker = false;
    #isAway = false;
    #connection = "connecting";
    // The reason why the gateway refuses the stream, if it gives one.
    #why = "";
    #lostTimer = 0;
    #heardAt = 0;
    #channel = null;

    constructor(gateway) {
        this.#gateway = gateway;
        const reopen = wasAway => {
            this.#isAway = false;
            // Timers stand still while a page sleeps: look at the stream when it is back.
            const isSilent = performance.now() - this.#heardAt > this.#gateway.silence;
            if (this.#stream && this.#connection !== "denied" && (wasAway || !this.#isSynced || isSilent)) this.#open();
        };
        followSight(reopen, () => {
            this.#isAway = true;
            this.#isSynced = false;
            this.#channel = null;
            if (this.#connection !== "denied") this.#setConnection("connecting");
            this.#stream?.abort();
        });
        window.addEventListener("online", () => { if (!this.#isAway) reopen(false); });
    }

    /** Calls a listener for the states of its groups, and for changes of the connection. Returns what ends that. */
    follow(listener) {
        this.#listeners.add(listener);
        this.#tell(() => listener.setConnection(this.#connection, this.#why), [listener]);
        for (const state of this.#states.values()) this.#tell(() => listener.show(state), [listener]);
        queueMicrotask(() => this.#follow());
        return () => {
            this.#listeners.delete(listener);
            queueMicrotask(() => this.#follow());
        };
    }

    #follow() {
        const groups = [...new Set([...this.#listeners].flatMap(listener => listener.groups))].sort().join(" ");
        if (groups === this.#groups) return;
        this.#groups = groups;
        // Of the others, the stream says nothing more.
        const patterns = groups.split(" ");
        for (const group of [...this.#states.keys()]) {
            if (!patterns.some(pattern => matches(pattern, group))) this.#states.delete(group);
        }
        this.#open();
    }

    #open() {
        this.#stream?.abort();
        this.#stream = this.#channel = null;
        // What was refused were other groups.
        if (!this.#groups || this.#connection === "denied") this.#setConnection("connecting");
        if (!this.#groups) return;
        this.#stream = new AbortController();
        if (this.#isAway) return;
        const { signal } = this.#stream;
        // A renderer is one page. The others need a secure context for locks.
        if (this.#gateway.client || !navigator.locks || !window.BroadcastChannel) this.#run(signal);
        // A page that may store nothing is refused the lock.
        else this.#share(signal).catch(() => { if (!signal.aborted) this.#run(signal); });
    }

    /** Reads the stream for other pages, too, or listens to the page that does, and takes its place when it is gone. */
    async #share(signal) {
        const { source, token } = this.#gateway;
        const name = `popups ${source} ${token} ${this.#groups}`;
        const channel = new BroadcastChannel(name);
        let leads = false;
        signal.addEventListener("abort", () => channel.close(), { once: true });
        channel.onmessage = ({ data }) => {
            if (leads && data.asks) this.#publishAll();
            if (leads || data.asks) return;
            this.#heardAt = performance.now();
            for (const { state, age } of data.states) this.#take(state, age);
            if (data.isWhole) this.#emptyAllBut(new Set(data.states.map(({ state }) => state.group)));
            this.#isSynced = data.connection === "open";
            if (data.connection === "lost") this.#setConnection("lost");
            if (this.#isSynced) this.#setConnection("open");
        };
        channel.postMessage({ asks: true });
        this.#loseLater();
        await navigator.locks.request(name, { signal }, async () => {
            leads = true;
            this.#channel = channel;
            await this.#run(signal);
            this.#channel = null;
        });
    }

    /** Tells the other pages all that there is, once that is known. */
    #publishAll() {
        this.#publish([...this.#states.values()], this.#isSynced);
    }

    #publish(entries = [], isWhole = false) {
        this.#channel?.postMessage({
            isWhole,
            states: entries.map(({ state, received }) => ({ state, age: performance.now() - received })),
            connection: this.#connection,
        });
    }

    async #run(signal) {
        let failures = 0, lostAt = performance.now();
        while (!signal.aborted) {
            this.#isSynced = false;
            this.#loseLater();
            const opened = performance.now();
            const end = await this.#read(signal).catch(() => ({}));
            if (signal.aborted) return;
            if (end.why !== undefined) {
                // Nobody says any more when they end.
                this.#states.clear();
                return this.#setConnection("denied", end.why);
            }
            const now = performance.now();
            if (this.#isSynced) lostAt = now;
            // A stream that ends within a second is a failure, too: no loop without a delay.
            failures = this.#isSynced && now - opened > 1000 ? 0 : failures + 1;
            const most = now - lostAt < outage ? soon : 30_000;
            await sleep(end.wait ?? Math.random() * Math.min(most, 500 * 2 ** Math.min(failures, 10)), signal);
        }
    }

    /** Reads one stream to its end. */
    async #read(signal) {
        const query = new URLSearchParams(this.#groups.split(" ").map(group => ["group", group]));
        const { client } = this.#gateway, present = new Set();
        if (client) {
            query.set("client", client);
            query.set("tab", tabName);
        }
        // The time until a return counts if nothing comes after it: at the beginning, it is for a loss without a word.
        let retry, isBusy = false;
        const { status, problem } = await this.#gateway.listen(`/v1/stream?${query}`, signal, item => {
            retry = item.event === "busy" ? item.retryAfterMs : item.event === "retry" ? item.retryMs : undefined;
            isBusy ||= item.event === "busy";
            this.#hear(item, present);
        }, () => { this.#heardAt = performance.now(); });
        if (status === 401) return { why: "" };
        // Without a reason, it is a proxy's, while the gateway is replaced.
        if ([400, 403, 404].includes(status) && problem?.reason) return { why: problem.detail };
        if (!retry) return {};
        // The gateway has drawn it for this stream, unless it is busy: that is the same for all.
        return { wait: isBusy ? retry * (0.75 + Math.random() / 2) : Math.min(retry, soon) * (0.5 + Math.random() / 2) };
    }

    #hear(item, present) {
        switch (item.event) {
        case "hello":
            this.#hasBroker = item.connected !== false;
            break;
        case "state":
            present.add(item.group);
            this.#take(item, 0);
            break;
        case "synced":
            this.#emptyAllBut(present);
            present.clear();
            this.#isSynced = true;
            // Otherwise the states are those before its broker was lost; they come again when it is back.
            if (this.#hasBroker) this.#setConnection("open");
            this.#publishAll();
            this.#tell(listener => listener.sync?.());
            break;
        case "broker":
            this.#hasBroker = item.connected;
            if (!item.connected) this.#loseLater();
            break;
        }
    }

    /** Empties and forgets the groups that are not among those with a state: of a pattern, ever new ones may come and go. */
    #emptyAllBut(present) {
        for (const [group, { state }] of this.#states) {
            if (present.has(group)) continue;
            this.#take({ ...state, active: undefined, offered: false }, 0);
            this.#states.delete(group);
        }
    }

    /** Takes a state that is as old as `age`, unless a newer one is known. */
    #take(state, age) {
        const last = this.#states.get(state.group)?.state;
        if (last && isNewer(last, state)) return;
        const entry = { state, received: performance.now() - age };
        this.#states.set(state.group, entry);
        this.#publish([entry]);
        this.#tell(listener => listener.show(entry));
    }

    #loseLater() {
        this.#lostTimer ||= setTimeout(() => this.#setConnection("lost"), lostAfter);
    }

    #setConnection(connection, why = "") {
        clearTimeout(this.#lostTimer);
        this.#lostTimer = 0;
        if (connection === this.#connection && why === this.#why) return;
        this.#connection = connection;
        this.#why = why;
        this.#publish();
        this.#tell(listener => listener.setConnection(connection, why));
    }

    /** Calls listeners. What one of them throws ends neither the stream nor the call of the others. */
    #tell(call, listeners = [...this.#listeners]) {
        for (const listener of listeners) {
            try {
                call(listener);
            } catch (error) {
                console.error(error);
            }
        }
    }
}

/** A gateway with an access token: requests, and the stream of states. */
export class Gateway {
    /** A stream that says nothing for so long is broken, in ms. */
    silence = 35_000;

    constructor(source, token, client) {
        this.source = source;
        this.token = token;
        this.client = client;
    }

    /**
     * Calls a listener for the states of its `groups`: `show(entry)`, `setConnection(word, why)`, where `why` is the
     * reason for `denied` if it is not the token, and `sync()`, if it has that, when all states have come, or come
     * again. Returns what ends that.
     */
    follow(listener) {
        return Feed.of(this).follow(listener);
    }

    fetch(path, options = {}) {
        // Without a token, the cookie of a dashboard counts; the header, which foreign pages cannot send, shows that no foreign
        // page asks.
        const isOwn = new URL(this.source, document.baseURI).origin === origin;
        const right = this.token ? { Authorization: `Bearer ${this.token}` } : isOwn ? { "X-Popup": "1" } : {};
        const headers = { ...right, ...options.headers };
        return fetch(this.source + path, { ...options, headers, redirect: "error", referrerPolicy: "no-referrer" });
    }

    /**
     * Reads a stream to its end, or until it falls silent: a connection may be half open. Calls `hear` for each of its
     * objects and `heard` for each piece of it, and returns the `status` of the answer, and the `problem` of a refusal.
     */
    async listen(path, signal, hear, heard = () => {}) {
        const attempt = new AbortController(), abort = () => attempt.abort();
        signal.addEventListener("abort", abort, { once: true });
        let watchdog = 0;
        const watch = () => {
            clearTimeout(watchdog);
            watchdog = setTimeout(abort, this.silence);
        };
        watch();
        try {
            const answer = await this.fetch(path, {
                headers: { Accept: "application/x-ndjson" }, signal: attempt.signal, cache: "no-store",
            });
            const { status } = answer;
            if (!answer.ok) return { status, problem: await answer.json().catch(() => null) };
            if (!answer.headers.get("Content-Type")?.startsWith("application/x-ndjson")) return { status };
            for await (const item of lines(answer.body, () => { heard(); watch(); })) {
                if (signal.aborted) break;
                if (item.heartbeatMs) {
                    this.silence = 2 * item.heartbeatMs + 5000;
                    watch();
                }
                hear(item);
            }
            return { status };
        } finally {
            clearTimeout(watchdog);
            signal.removeEventListener("abort", abort);
            attempt.abort();
        }
    }

    /** Sends a request with a body of JSON, and returns `status`, and `result` or `problem`; `status` 0: the gateway was not reached. */
    async send(method, path, body) {
        try {
            const answer = await this.fetch(path, {
                method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
                signal: AbortSignal.timeout(answerTime),
            });
            const content = await answer.json().catch(() => null);
            return { status: answer.status, ...(answer.ok ? { result: content } : { problem: content }) };
        } catch {
            return { status: 0 };
        }
    }

    /**
     * Sends a request about a popup until it is decided, as long as `isWanted()`. A 404 or 409 after a request whose
     * outcome is not known means that the earlier one was done.
     */
    async settle(method, path, body, isWanted) {
        let isUnknown = false;
        for (let attempt = 0; ; attempt++) {
            const { status, problem } = await this.send(method, path, body);
            if (status >= 200 && status < 300 || isUnknown && (status === 404 || status === 409)) return { isDone: true };
            if (status && ![429, 500, 502, 503, 504].includes(status)) return { isDone: false, status, problem };
            isUnknown ||= status === 0 || status === 504;
            await sleep(Math.random() * Math.min(8000, 500 * 2 ** attempt));
            if (!isWanted()) return { isDone: false, status, problem };
        }
    }
}
