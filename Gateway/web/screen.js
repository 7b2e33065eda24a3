// <popup-screen group="lobby" src="https://popups.example">: shows the popups of groups on any page.
import { Box } from "./box.js";
import { Modals } from "./modals.js";
import { Gateway, matches, tabName } from "./stream.js";
import { styles } from "./styles.js";

/** The press of F6 that has left the boxes of a screen: those of the next one come then. */
let left = null;

const source = /^https?:/.test(import.meta.url) ? new URL(import.meta.url).origin : "";

/**
 * The screen of groups.
 *
 * Attributes: `group` (names and patterns, with spaces between them), `src` (the gateway; default: where this module is
 * from), `token`, `mode` (`watch`: no buttons; `render`: a renderer of the broker), `client`, `offer` (`auto`, `manual`,
 * `never`), `extend` (a button for more time), `corner` (`top-left` …), `theme` (`light`, `dark`), `image-hosts`.
 * Events: `popup-shown`, `popup-closed`, `popup-action`, `popup-offer`, `popup-connection`.
 */
class PopupScreen extends HTMLElement {
    static observedAttributes = ["group", "src", "token", "mode", "client", "extend"];

    #root = this.attachShadow({ mode: "open" });
    #boxes = new Map();
    #offers = new Map();
    #gateway = null;
    #unfollow = null;
    // What was said last of each group, and what is about to be said in each live region.
    #announced = new Map();
    #said = new Map();
    #focusBefore = null;
    #reports = Promise.resolve();
    #page = new AbortController();
    #isPending = false;
    connection = "connecting";
    offersMoreTime = false;

    constructor() {
        super();
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(styles);
        this.#root.adoptedStyleSheets = [sheet];
        for (const [name, live] of [["polite", "polite"], ["assertive", "assertive"]]) {
            const region = document.createElement("div");
            Object.assign(region, { className: "live", id: name });
            region.setAttribute("aria-live", live);
            region.setAttribute("aria-atomic", "true");
            this.#root.append(region);
        }
        for (const place of ["top", "corner", "center", "bottom", "full"]) {
            const element = document.createElement("div");
            Object.assign(element, { className: "place", id: `place-${place}` });
            element.part = `place-${place}`;
            this.#root.append(element);
        }
        const lost = document.createElement("div");
        Object.assign(lost, { className: "lost", id: "lost", hidden: true });
        lost.part = "lost";
        this.#root.append(lost);
    }

    connectedCallback() {
        const { signal } = this.#page = new AbortController();
        const seed = () => { for (const box of this.#boxes.values()) box.seed(); };
        const see = () => {
            seed();
            for (const box of this.#boxes.values()) box.reportVisibility();
            // A page that was away gets its offers again.
            if (this.connection === "open") for (const state of this.#offers.values()) this.#offer(state);
        };
        document.addEventListener("visibilitychange", see, { signal });
        for (const name of ["pageshow", "online", "obsSourceVisibleChanged"]) {
            window.addEventListener(name, seed, { signal });
        }
        window.addEventListener("keydown", event => this.#onKey(event), { signal });
        window.addEventListener("pointerdown", event => this.#onPointer(event), { signal, capture: true });
        this.#follow();
    }

    disconnectedCallback() {
        this.#page.abort();
        this.#unfollow?.();
        this.#unfollow = null;
        this.#dropAll();
    }

    attributeChangedCallback() {
        if (!this.isConnected || this.#isPending) return;
        this.#isPending = true;
        queueMicrotask(() => {
            this.#isPending = false;
            if (this.isConnected) this.#follow();
        });
    }

    /** The groups that it shows. */
    get groups() { return (this.getAttribute("group") ?? "").split(/[\s,]+/).filter(Boolean); }
    get isRenderer() { return this.getAttribute("mode") === "render"; }
    get client() { return this.getAttribute("client") || tabName; }
    get imageHosts() { return (this.getAttribute("image-hosts") ?? "").split(/\s+/).filter(Boolean); }

    #follow() {
        this.#unfollow?.();
        this.#dropAll();
        this.#offers.clear();
        this.offersMoreTime = this.hasAttribute("extend") && this.getAttribute("extend") !== "0";
        this.#gateway = new Gateway(
            (this.getAttribute("src") || source).replace(/\/$/, ""), this.getAttribute("token") ?? "",
            this.isRenderer ? this.client : "");
        this.#unfollow = this.groups.length ? this.#gateway.follow(this) : null;
        if (!this.#unfollow) this.setConnection("connecting");
    }

    // What the stream says

    show(entry) {
        const { state } = entry;
        if (!this.#shows(state.group)) return;
        if (state.offered) this.#offer(state);
        else this.#offers.delete(state.group);
        const popup = state.offered ? undefined : state.active;
        const box = this.#boxes.get(state.group);
        if (box && popup && box.fits(state)) return box.show(entry);
        const isSame = box && box.id === popup?.id;
        if (box) this.#drop(state.group, isSame);
        if (!popup) return this.#announced.delete(state.group);
        this.#add(state.group, new Box(this, entry, isSame && box.isReportedHidden));
        if (!isSame) this.dispatch("popup-shown", { id: popup.id, group: state.group, popup });
    }

    setConnection(connection, why) {
        const before = this.connection;
        this.connection = this.dataset.connection = connection;
        if (connection === "denied") this.#dropAll();
        for (const box of this.#boxes.values()) box.setConnection(connection);
        const words = {
            lost: "The connection is lost. What you see may be old.",
            denied: why ? `The gateway refuses this screen: ${why}` : "The gateway refuses this screen's token.",
        };
        const lost = this.#root.getElementById("lost"), text = words[connection] ?? "";
        lost.textContent = text;
        lost.hidden = !text;
        if (text) {
            if (before !== connection) this.announce({}, text);
        } else if (this.#announced.delete()) this.#root.getElementById("polite").textContent = "";
        this.dispatch("popup-connection", { connection });
    }

    sync() {
        // By then, `Modals` has decided which box is open again.
        queueMicrotask(() => { for (const box of this.#boxes.values()) box.reportAgain(); });
    }

    #shows(group) {
        return this.groups.some(pattern => matches(pattern, group));
    }

    #add(group, box) {
        this.#boxes.set(group, box);
        this.put(box);
        if (!box.isModal) box.open();
        // While the gateway is away, it waits.
        else if (this.connection !== "lost") Modals.add(box);
    }

    /** Removes a box. `isReplaced`: another one shows the same popup. */
    #drop(group, isReplaced) {
        const box = this.#boxes.get(group);
        if (!box) return;
        this.#boxes.delete(group);
        box.remove();
        if (!isReplaced) this.dispatch("popup-closed", { id: box.id, group });
    }

    #dropAll() {
        for (const group of [...this.#boxes.keys()]) this.#drop(group);
    }

    /** Removes a box whose time is over while nobody can say so. */
    forget(box) {
        for (const [group, other] of this.#boxes) if (other === box) this.#drop(group);
    }

    /** Answers an offer, once. A page that nobody sees accepts none before it is seen. */
    #offer(state) {
        if (!this.isRenderer) return;
        const { active, group } = state, before = this.#offers.get(group);
        const isSame = before?.active.id === active.id && before.active.sinceRevision === active.sinceRevision;
        if (isSame && before.isAnswered) return;
        const mode = this.getAttribute("offer") ?? "auto";
        const isAnswered = mode !== "auto" || !document.hidden;
        this.#offers.set(group, { active, group, isAnswered });
        const answer = word => this.send("POST", active, "/answer", { client: this.client, [word]: {} });
        if (mode === "manual") this.dispatch("popup-offer", { popup: active, group, answer });
        else if (mode === "auto" && isAnswered) answer("accept");
    }

    // What the boxes need

    /** Puts a box where its popup belongs. */
    put(box) {
        this.#root.getElementById(`place-${box.place}`).append(box.root);
    }

    /** Sends a request about a popup until it is decided. */
    send(method, popup, verb, body, isWanted = () => this.isConnected) {
        const path = `/v1/popups/${encodeURIComponent(popup.id)}${verb}`;
        return this.#gateway.settle(method, path, { ...body, group: popup.group }, isWanted);
    }

    /** Reports what happened to a popup, one after the other: of two requests, the later one may be the first to arrive. */
    report(popup, word) {
        const gateway = this.#gateway, body = { client: this.client, [word]: {}, group: popup.group };
        this.#reports = this.#reports.then(
            () => gateway.send("POST", `/v1/popups/${encodeURIComponent(popup.id)}/report?tab=${tabName}`, body));
    }

    /**
     * Says a text about a popup to people who listen, once. It waits a moment: a live region that was inert behind a modal
     * box until now is not heard at once, and of several texts after another only the last.
     */
    announce({ group, id }, text, isUrgent) {
        if (this.#announced.get(group) === id + text) return;
        this.#announced.set(group, id + text);
        const region = this.#root.getElementById(isUrgent ? "assertive" : "polite");
        if (!this.#said.has(region)) {
            this.#said.set(region, new Map());
            setTimeout(() => {
                region.textContent = [...this.#said.get(region).values()].join(". ");
                this.#said.delete(region);
            }, 100);
        }
        this.#said.get(region).set(group, text);
    }

    /** Says that what a group showed is not what the user answered. */
    tellChange(popup, text) {
        const box = this.#boxes.get(popup.group);
        if (box) box.setNote(text, true);
        else this.announce(popup, text, true);
    }

    dispatch(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
    }

    // Keys and pointers

    #onKey(event) {
        if (event.key !== "F6" || event.defaultPrevented && event !== left) return;
        const { activeElement } = document;
        if (activeElement !== this && activeElement instanceof PopupScreen) return;
        const boxes = [...this.#boxes.values()].filter(box => box.isReachable && !box.isModal).map(box => box.root);
        if (!boxes.length) return;
        event.preventDefault();
        const next = boxes.findIndex(root => root.contains(this.#root.activeElement)) + 1;
        if (next === 0) this.#focusBefore = activeElement;
        left = next < boxes.length ? null : event;
        if (left) this.restoreFocus();
        else boxes[next].focus();
    }

    restoreFocus() {
        const before = this.#focusBefore;
        this.#focusBefore = null;
        this.#root.activeElement?.blur();
        if (before?.isConnected) before.focus({ preventScroll: true });
    }

    #onPointer(event) {
        if (event.composedPath().some(element => element instanceof PopupScreen)) return;
        for (const box of this.#boxes.values()) if (!box.isModal) box.actOutside();
    }
}

customElements.define("popup-screen", PopupScreen);
