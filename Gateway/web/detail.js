// What is known of one group: its queue, why a popup waits, its events and its policy.
import { Rows, byId, makeButton, setText, timeLeft } from "./rows.js";
import { followSight, sleep } from "./stream.js";

const maxEvents = 200;
const placeOrder = (a, b) => a.place - b.place;
/** The time that a popup has left now, in ms: a delay and what is shown elapse; what waits keeps its time. */
const leftOf = ({ remainingMs, delayMs, phase, received }) => {
    const elapses = remainingMs === undefined || phase === "ACTIVE", left = remainingMs ?? delayMs;
    return left === undefined || !elapses ? left : Math.max(0, left - (performance.now() - received));
};
const path = id => `/v1/popups/${encodeURIComponent(id)}`;

export class Detail {
    group = "";
    isPaused = false;
    #api;
    #queue;
    #hasMore = false;
    // Whether the user has changed the order, and waits for it.
    #sorts = false;
    #work = new AbortController();
    #refreshes = 0;
    #lastEvent = "";
    #hasEvents = false;
    // Whether there were events while the page was paused.
    #hasMissed = false;

    /** `api`: `read(path)`, `act(method, path, body)`, `confirm(text)`, `gateway`. */
    constructor(api) {
        this.#api = api;
        this.#queue = new Rows(byId("queue"), id => this.#row(id));
        // When the user leaves a row; by then, the next element has the focus.
        for (const name of ["focusout", "pointerleave"]) {
            byId("queue").tBodies[0].addEventListener(name, () => setTimeout(() => this.#keepOrder()));
        }
        byId("close").addEventListener("click", () => this.close());
        byId("hold").addEventListener("click", () => api.act("POST", "/v1/suspend", this.#hold(true)));
        byId("resume").addEventListener("click", () => api.act("POST", "/v1/resume", this.#hold(false)));
        // Meanwhile the gateway keeps the events, for half a minute; then the list says that some are missing.
        followSight(wasAway => {
            if (!wasAway || !this.group) return;
            this.#work = new AbortController();
            this.refresh();
            this.#followEvents(this.#work.signal);
        }, () => this.#work.abort());
    }

    /** Opens a group. */
    open(group) {
        this.#work.abort();
        this.#work = new AbortController();
        this.group = group;
        this.#lastEvent = "";
        this.#hasEvents = this.#hasMissed = false;
        byId("detail").hidden = false;
        byId("why").hidden = true;
        byId("events").replaceChildren();
        setText(byId("detail-title"), `Group ${group}`);
        byId("detail-title").focus();
        this.#queue.replace([], placeOrder);
        setText(byId("queue-count"), "Popups");
        byId("policy").replaceChildren();
        this.refresh();
        this.#showPolicy();
        this.#followEvents(this.#work.signal);
    }

    close() {
        this.#work.abort();
        this.group = "";
        byId("detail").hidden = true;
        byId("pattern").focus();
    }

    /** Shows the times that are left now. */
    tick() {
        if (this.group) this.#queue.refresh();
    }

    #hold(isHeld) {
        const token = `hold/${this.group}`;
        return isHeld ? { group: this.group, token } : { token };
    }

    /** Reads the queue, at most once a second. After a pause, it says that events are missing. */
    async refresh() {
        if (!this.group || this.isPaused) return;
        if (this.#hasMissed) this.#addEvent("… events are missing here");
        if (this.#refreshes++) return;
        const { group } = this, sorts = this.#sorts;
        this.#sorts = false;
        const answer = await this.#api.read(`/v1/queue/${group}`);
        if (answer && group === this.group) {
            const popups = answer.popups ?? [];
            const received = performance.now();
            this.#queue.replace(popups.map((popup, place) => [popup.id, { ...popup, place, received }]), placeOrder);
            this.#hasMore = Boolean(answer.truncated);
            if (sorts) this.#queue.sort(placeOrder);
            this.#keepOrder();
        }
        await sleep(1000);
        const isDue = !answer || this.#refreshes > 1;
        this.#refreshes = 0;
        if (isDue) this.refresh();
    }

    /** Sorts the queue, unless the user is at one of its rows, and says whether it is in order. */
    #keepOrder() {
        if (this.isPaused) return;
        const order = this.#queue.keepOrder(placeOrder) ? ", in their order" : "";
        setText(byId("queue-count"), `Popups${order}: ${this.#queue.size}${this.#hasMore ? ", and more" : ""}`);
    }

    #row(id) {
        const why = makeButton("Why?", `Why is ${id} where it is?`, () => this.explain(id));
        const cancel = makeButton("Cancel", `Cancel ${id}`, async () => {
            if (await this.#api.confirm(`Cancel the popup ${id}?`)) await this.#api.act("DELETE", path(id));
            this.refresh();
        });
        const priority = document.createElement("input");
        Object.assign(priority, { type: "number", name: "priority", required: true });
        priority.setAttribute("aria-label", `Priority of ${id}`);
        // None, and not 0, which is none on the wire.
        let shown = null;
        const form = document.createElement("form");
        form.className = "priority";
        const change = makeButton("Set priority", `Set the priority of ${id}`);
        change.type = "submit";
        form.append(priority, change);
        form.addEventListener("submit", async event => {
            event.preventDefault();
            const fields = { priority: Number(priority.value), group: this.group };
            this.#sorts = await this.#api.act("PATCH", path(id), fields);
            this.refresh();
        });
        return {
            cells: [{ name: "th" }, {}, { className: "number" }, { className: "number" }, { children: [why, cancel, form] }],
            patch: (popup, cells) => {
                setText(cells[0], popup.title || popup.excerpt || popup.id);
                setText(cells[1], popup.phase.toLowerCase());
                setText(cells[2], popup.priority ?? 0);
                setText(cells[3], timeLeft(leftOf(popup)));
                // What the user writes there stays until the popup has another priority.
                if (shown === popup.priority || form.contains(document.activeElement)) return;
                shown = popup.priority;
                priority.value = shown ?? 0;
            },
        };
    }

    /** Says what keeps a popup where it is. */
    async explain(id) {
        const answer = await this.#api.read(path(id), true);
        if (!answer) return;
        byId("why").hidden = false;
        setText(byId("why-title"), `Why? ${answer.title || id}`);
        setText(byId("why-text"), answer.text ?? answer.phase);
        byId("why-rules").replaceChildren(...(answer.rules ?? []).map(rule => {
            const item = document.createElement("li");
            const left = rule.remainingMs === undefined ? "" : ` (${timeLeft(rule.remainingMs)})`;
            item.append(`${rule.rule}: ${rule.text}${left} `);
            for (const blocker of rule.blockers ?? []) {
                item.append(makeButton(blocker, `Why is ${blocker} where it is?`, () => this.explain(blocker)), " ");
            }
            return item;
        }));
        byId("why-title").focus();
    }

    async #showPolicy() {
        const { group } = this;
        const answer = await this.#api.read(`/v1/policy?group=${encodeURIComponent(group)}`);
        if (!answer || group !== this.group) return;
        const fields = Object.entries({ source: answer.source, ...answer.policy });
        byId("policy").replaceChildren(...fields.map(([name, value]) => {
            const pair = document.createElement("div");
            const [term, description] = [document.createElement("dt"), document.createElement("dd")];
            term.textContent = name;
            description.textContent = typeof value === "object" ? JSON.stringify(value) : value;
            pair.append(term, description);
            return pair;
        }));
    }

    async #followEvents(signal) {
        while (!signal.aborted) {
            const query = new URLSearchParams({ group: this.group, ...(this.#lastEvent && { last: this.#lastEvent }) });
            let retry = 2000;
            const hear = item => {
                retry = item.retryAfterMs ?? item.retryMs ?? retry;
                this.#hear(item);
            };
            try {
                const { status } = await this.#api.gateway.listen(`/v1/events?${query}`, signal, hear);
                if (status === 401) return this.#addEvent("The gateway does not know the token any more.");
                if (status === 403) return this.#addEvent("The token has no right to events.");
            } catch {
                // The stream has ended: again.
            }
            await sleep(retry * (0.5 + Math.random()), signal);
        }
    }

    #hear(item) {
        switch (item.event) {
        case "hello":
            // Without an event before, there is nothing to go on from.
            if (this.#hasEvents && !this.#lastEvent) this.#addEvent("… events may be missing here");
            this.#hasEvents = true;
            break;
        case "gap":
            this.#addEvent("… events are missing here");
            break;
        case "event":
            this.#lastEvent = item.id;
            this.#addEvent(this.#words(item.data));
            break;
        }
    }

    #words({ time, popup, ...event }) {
        const kind = ["queued", "offered", "shown", "paused", "resumed", "updated", "closed", "refused"]
            .find(name => event[name]) ?? "";
        const { reason = "", action = "", detail = "" } = event[kind] ?? {};
        const clock = new Date(Number(time)).toLocaleTimeString();
        return [clock, kind, popup, reason, action, detail, event.by && `by ${event.by}`].filter(Boolean).join(" · ");
    }

    #addEvent(text) {
        this.#hasMissed = this.isPaused;
        if (this.isPaused) return;
        const item = document.createElement("li");
        item.textContent = text;
        byId("events").prepend(item);
        while (byId("events").children.length > maxEvents) byId("events").lastChild.remove();
    }
}
