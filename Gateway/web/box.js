// The box of one popup: what it says, its buttons, and the time it has left.
import { Modals, Shield } from "./modals.js";

/** A new place under the finger takes no clicks for so long, in ms. */
const guard = 400;
/** A countdown at 0 stays for so long while the gateway is away, in ms. */
const staleAfter = 12_000;

const signs = {
    info: ["ℹ", "Information"], success: ["✓", "Success"], warning: ["⚠", "Warning"], error: ["✕", "Error"],
};
const places = { TOP_BAR: "top", BOTTOM_SHEET: "bottom", CENTER: "center", FULL_SCREEN: "full" };

const changed = "Your answer did not count: the popup has changed.";

let lastNumber = 0;

const make = (name, part, parent) => {
    const element = document.createElement(name);
    if (part) element.part = element.className = part;
    parent?.append(element);
    return element;
};

const dims = popup => popup.presentation?.backdrop === true;
const versionOf = (epoch, popup) => `${epoch}:${popup.sinceRevision}`;
const placeOf = popup => places[popup.presentation?.scene] ?? (dims(popup) ? "center" : "corner");
/** Whether nothing but a popup can be used. One that cannot be answered here only dims the page: nothing would lead out. */
const isModal = (popup, screen) => dims(popup) && screen.isRenderer
    && (popup.actions?.length > 0 || popup.presentation.dismissOnOutside === true);

export class Box {
    #screen;
    #root;
    #parts = {};
    #popup;
    #version = "";
    #deadline = null;
    #total = 0;
    #takesFrom;
    // The popup that is being answered.
    #sent = null;
    #isAnswered = false;
    #timer = 0;
    #drawing = null;
    #report;
    #image = null;
    #isOpen = false;
    #isReleased = false;
    // Whether it was modal, or waited to be, when the connection was lost.
    #isStale = false;

    /** `wasHidden`: whether the box before it reported the same popup as hidden, and not as visible again. */
    constructor(screen, entry, wasHidden) {
        this.#screen = screen;
        // The gateway reports a popup as visible, unless a report of this page arrives after the state has left.
        this.#report = wasHidden ? "" : "visible";
        this.#popup = entry.state.active;
        this.isModal = isModal(this.#popup, screen);
        this.#takesFrom = performance.now() + guard;
        this.#build();
        this.show(entry);
    }

    get id() { return this.#popup.id; }
    get root() { return this.#root; }
    get priority() { return this.#popup.priority ?? 0; }
    get hasActions() { return this.#screen.isRenderer && (this.#popup.actions?.length ?? 0) > 0; }
    /** Whether somebody with a keyboard needs to get there: to answer it, to close it, or to read on. */
    get isReachable() {
        // Of more than five boxes, the place scrolls.
        return this.hasActions || this.#screen.isRenderer && this.#popup.presentation?.dismissOnOutside
            || this.#root.scrollHeight > this.#root.clientHeight || this.#root.parentNode.childElementCount > 5;
    }
    get place() { return this.#isReleased ? "corner" : placeOf(this.#popup); }
    get isReportedHidden() { return this.#report === "hidden"; }

    /** Whether this box can show what a group shows: then it is an update, or a repetition. */
    fits({ epoch, active: popup }) {
        return popup.id === this.#popup.id && (versionOf(epoch, popup) === this.#version
            || isModal(popup, this.#screen) === this.isModal && placeOf(popup) === this.place);
    }

    /** Shows a popup of the same id. A repetition renews its time alone. */
    show({ state, received }) {
        const popup = state.active;
        const version = versionOf(state.epoch, popup);
        this.#popup = popup;
        const remaining = popup.remainingMs;
        this.#deadline = remaining === undefined ? null : received + remaining;
        if (version !== this.#version) {
            const isUpdate = this.#version !== "";
            this.#version = version;
            this.#sent = null;
            this.#isAnswered = false;
            this.#total = Math.max(popup.durationMs ?? 0, remaining ?? 0);
            this.#takesFrom = performance.now() + guard;
            this.#fill();
            if (isUpdate) this.reportAgain();
        }
        this.seed();
    }

    /** Opens the box, when nothing modal stands before it. */
    open() {
        if (this.#isOpen) return;
        this.#isOpen = true;
        this.#takesFrom = performance.now() + guard;
        this.#root.hidden = false;
        if (this.isModal) {
            this.#root.showModal();
            this.#root.focus({ preventScroll: true });
        }
        this.announce();
        this.reportVisibility();
    }

    /** Hides the box behind another modal one. */
    close() {
        this.#isOpen = false;
        this.#root.hidden = true;
        if (this.isModal && this.#root.open) this.#root.close();
        this.reportVisibility();
    }

    /**
     * Is modal no more, because the user has answered or cannot answer: the box goes to the corner, and the focus to where
     * it was.
     */
    #release() {
        if (!this.isModal) return;
        this.#cover();
        Modals.remove(this);
        this.#root.close();
        this.#setModal(false);
        // `show()` would take the focus.
        this.#root.open = true;
        this.open();
    }

    #setModal(isModal) {
        this.isModal = isModal;
        this.#isReleased = !isModal;
        this.#root.setAttribute("role", isModal ? "alertdialog" : "dialog");
        this.#setNoteRole();
        this.#root.dataset.place = this.place;
        this.#screen.put(this);
    }

    /** The live regions are outside, where nothing is heard while it is modal. */
    #setNoteRole() {
        const { note, title, text } = this.#parts;
        note.setAttribute("role", this.isModal ? "alert" : "note");
        for (const part of [title, text]) part.ariaLive = this.isModal ? "assertive" : null;
    }

    /** Waits for the gateway without keeping the page from the user. */
    #giveWay() {
        this.#isStale = true;
        if (this.#isOpen) this.#release();
        else Modals.remove(this);
    }

    /** Is modal again, unless the user has answered, or an update has ended that. */
    #comeBack() {
        this.#isStale = false;
        if (this.#isAnswered || !isModal(this.#popup, this.#screen)) return;
        if (!this.isModal) {
            if (this.#hasFocus) this.#screen.restoreFocus();
            this.#root.close();
            this.#isOpen = false;
            this.#setModal(true);
        }
        Modals.add(this);
    }

    /** Has clicks count for nothing for a moment where the box was open: if it was modal, on the whole page. */
    #cover() {
        if (!this.#isOpen) return;
        Shield.cover(this.isModal ? new DOMRect(0, 0, innerWidth, innerHeight) : this.#root.getBoundingClientRect());
    }

    get #hasFocus() { return this.#root.contains(this.#root.getRootNode().activeElement); }

    remove() {
        clearTimeout(this.#timer);
        // A running animation would keep its elements.
        this.#drawing?.cancel();
        this.#cover();
        Modals.remove(this);
        const hadFocus = this.#hasFocus;
        if (this.isModal && this.#root.open) this.#root.close();
        if (this.#image) URL.revokeObjectURL(this.#image);
        this.#root.remove();
        if (hadFocus && !this.isModal) this.#screen.restoreFocus();
    }

    // What is on it

    #build() {
        const root = this.#root = make(this.isModal ? "dialog" : "section", "box");
        const parts = this.#parts, number = ++lastNumber;
        root.hidden = true;
        root.tabIndex = -1;
        const head = make("div", "head", root);
        parts.sign = make("span", "sign", head);
        parts.icon = make("img", "icon", head);
        Object.assign(parts.icon, { alt: "", referrerPolicy: "no-referrer", hidden: true });
        parts.title = make("h2", "title", head);
        parts.text = make("div", "text", root);
        parts.image = make("img", "image", root);
        parts.note = make("p", "note", root);
        this.#setNoteRole();
        const foot = make("div", "foot", root);
        parts.time = make("span", "time", foot);
        parts.time.setAttribute("role", "timer");
        parts.actions = make("div", "actions", foot);
        parts.bar = make("div", "bar", root);
        make("i", "", parts.bar);
        parts.text.id = `text-${number}`;
        root.addEventListener("keydown", event => {
            if (event.key === "Tab" && this.isModal) this.#keepFocus(event);
            if (event.key !== "Escape") return;
            event.preventDefault();
            event.stopPropagation();
            this.actOutside();
        });
        root.addEventListener("cancel", event => event.preventDefault());
        // Some ways to close a dialog ask nobody, such as Android's second "Back".
        root.addEventListener("close", () => {
            if (this.isModal && this.#isOpen && root.isConnected && !root.open) root.showModal();
        });
        root.addEventListener("pointerdown", event => {
            if (!this.isModal || event.target !== root) return;
            const area = root.getBoundingClientRect();
            const isInside = event.clientX >= area.left && event.clientX < area.right
                && event.clientY >= area.top && event.clientY < area.bottom;
            if (!isInside) this.actOutside();
        });
    }

    /** Goes from the last button to the first and back: from a dialog, browsers would leave the page. */
    #keepFocus(event) {
        const buttons = [...this.#root.querySelectorAll("button:enabled:not([hidden])")];
        const [end, start] = event.shiftKey ? [buttons[0], buttons.at(-1)] : [buttons.at(-1), buttons[0]];
        const focused = this.#root.getRootNode().activeElement;
        if (focused !== end && !(event.shiftKey && focused === this.#root) && buttons.length) return;
        event.preventDefault();
        (start ?? this.#root).focus({ preventScroll: true });
    }

    #fill() {
        const popup = this.#popup, presentation = popup.presentation ?? {}, parts = this.#parts, root = this.#root;
        parts.title.textContent = presentation.title ?? "";
        parts.title.hidden = !presentation.title;
        const [sign, meaning] = signs[presentation.style] ?? [];
        parts.sign.textContent = sign ?? "";
        parts.sign.hidden = !sign;
        parts.sign.setAttribute("role", "img");
        parts.sign.setAttribute("aria-label", meaning ?? "");
        this.#fillIcon(presentation.icon ?? "");
        root.dataset.style = presentation.style ?? "";
        root.dataset.place = this.place;
        root.dataset.animation = (presentation.animation ?? "FADE").toLowerCase();
        root.style.borderRadius = presentation.cornerRadius ? `${presentation.cornerRadius}px` : "";
        for (const part of [parts.title, parts.text]) part.dir = "auto";
        root.lang = popup.language ?? "";
        this.#fillContent();
        root.toggleAttribute("data-dims", dims(popup) && !this.isModal);
        root.setAttribute("role", this.isModal ? "alertdialog" : this.hasActions ? "dialog" : "group");
        root.setAttribute("aria-label", presentation.title || (meaning ?? "Popup"));
        root.setAttribute("aria-describedby", parts.text.id);
        this.#fillActions();
        this.setNote("");
        if (this.#isOpen) this.announce();
    }

    #fillIcon(icon) {
        let url = null;
        try {
            url = new URL(icon);
        } catch {
            // Most popups have none. `URL.canParse` is younger than the browser of OBS.
        }
        const isShown = /^https?:$/.test(url?.protocol) && this.#screen.imageHosts.includes(url.host);
        this.#parts.icon.hidden = !isShown;
        if (isShown) this.#parts.icon.src = url.href;
        this.#root.dataset.icon = icon;
    }

    #fillContent() {
        const { text, data, contentType = "text/plain" } = this.#popup, { text: part, image } = this.#parts;
        if (this.#image) URL.revokeObjectURL(this.#image);
        this.#image = null;
        const bytes = data && Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
        if (/^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/.test(contentType) && data) {
            image.src = this.#image = URL.createObjectURL(new Blob([bytes], { type: contentType }));
            image.alt = this.#popup.presentation?.title ?? "An image without a description";
        }
        image.hidden = !this.#image;
        part.textContent = this.#image ? "" : text ?? (!data ? ""
            : /^text\/plain\b/.test(contentType) ? new TextDecoder().decode(bytes)
                : `This content (${contentType}) cannot be shown here.`);
        part.hidden = !part.textContent;
    }

    #fillActions() {
        const actions = this.hasActions && !this.#isAnswered ? this.#popup.actions : [];
        const hadFocus = this.#parts.actions.contains(this.#root.getRootNode().activeElement);
        this.#root.toggleAttribute("data-actions", actions.length > 0);
        this.#parts.actions.replaceChildren(...actions.map(({ id, label }) => {
            const button = make("button", "action");
            button.type = "button";
            button.textContent = label || id;
            button.dir = "auto";
            button.addEventListener("click", () => this.#act(id));
            return button;
        }));
        this.#parts.more = make("button", "more");
        Object.assign(this.#parts.more, { type: "button", textContent: "More time", hidden: true });
        this.#parts.more.addEventListener("click", () => this.#extend());
        this.#parts.actions.append(this.#parts.more);
        this.setConnection(this.#screen.connection);
        if (hadFocus) this.#root.focus({ preventScroll: true });
    }

    /** Shows a note below the text, and says it unless `isUrgent` is left out. */
    setNote(text, isUrgent) {
        this.#parts.note.textContent = text;
        this.#parts.note.hidden = !text;
        if (isUrgent !== undefined && !this.isModal) this.#screen.announce(this.#popup, text, isUrgent);
    }

    /** Says in the live region what it shows, once. */
    announce() {
        const { presentation = {}, actions = [] } = this.#popup;
        const parts = [presentation.title, this.#parts.text.textContent || this.#parts.image.alt].filter(Boolean);
        if (this.hasActions) {
            parts.push(actions.length === 1 ? "1 action" : `${actions.length} actions`);
        }
        if (!this.isModal && this.isReachable) parts.push("press F6 to reach it");
        this.#screen.announce(
            this.#popup, parts.join(". "), presentation.style === "warning" || presentation.style === "error");
    }

    // Its time

    /** Draws the countdown from what is left now. */
    seed() {
        clearTimeout(this.#timer);
        const { bar, time } = this.#parts, drawn = bar.firstChild;
        this.#drawing?.cancel();
        const isCounting = this.#deadline !== null;
        bar.hidden = !isCounting;
        time.hidden = !(isCounting && this.#popup.presentation?.countdown);
        if (!isCounting) return this.#offerMoreTime(Infinity);
        const left = Math.max(0, this.#deadline - performance.now());
        const share = this.#total ? Math.min(1, left / this.#total) : 1;
        drawn.style.transform = "scaleX(0)";
        this.#drawing = drawn.animate([{ transform: `scaleX(${share})` }, { transform: "scaleX(0)" }], { duration: left });
        this.#tick();
    }

    #tick() {
        const left = this.#deadline - performance.now();
        const seconds = Math.ceil(left / 1000);
        this.#parts.time.textContent = left <= 0 ? ""
            : seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
        this.#offerMoreTime(left);
        if (left > 0) this.#timer = setTimeout(() => this.#tick(), left - (seconds - 1) * 1000);
        else if (left > -staleAfter) this.#timer = setTimeout(() => this.#tick(), staleAfter + left);
        // Later, because the screen may not have the box yet, or may go through its boxes.
        else if (this.#screen.connection !== "open") this.#timer = setTimeout(() => this.#screen.forget(this));
    }

    #offerMoreTime(left) {
        const isOffered = this.hasActions && this.#screen.offersMoreTime && left > 0 && !this.#isAnswered
            && left <= Math.max(20_000, this.#total / 2);
        this.#parts.more.hidden = !isOffered;
    }

    async #extend() {
        if (!this.#takes) return;
        const popup = this.#popup;
        this.#parts.more.disabled = true;
        const { isDone, status } = await this.#screen.send("PATCH", popup, "", { restartTimer: true });
        if (popup.id !== this.#popup.id) return;
        this.#parts.more.disabled = false;
        if (!isDone) {
            this.setNote("More time was not given.", true);
            if (status === 403) this.#screen.offersMoreTime = false;
        }
    }

    // Answers

    get #takes() {
        return this.#isOpen && !this.#sent && !this.#isAnswered && performance.now() >= this.#takesFrom
            && this.#screen.isRenderer && this.#screen.connection === "open";
    }

    /** Acts on Escape or a click beside the box. */
    actOutside() {
        if (this.#popup.presentation?.dismissOnOutside) this.#act("outside");
    }

    async #act(action) {
        if (!this.#takes) return;
        const popup = this.#popup;
        const isSame = () => this.#popup.id === popup.id && this.#popup.sinceRevision === popup.sinceRevision
            && this.#root.isConnected;
        this.#sent = popup;
        this.setConnection(this.#screen.connection);
        const outcome = await this.#screen.send("POST", popup, "/dismiss", {
            action, revision: popup.sinceRevision, client: this.#screen.client,
        }, isSame);
        this.#screen.dispatch("popup-action", { id: popup.id, group: popup.group, action, isDone: outcome.isDone });
        const isStale = outcome.status === 409 || outcome.status === 404;
        if (!this.#root.isConnected) return isStale && action !== "outside" && this.#screen.tellChange(popup, changed);
        // After an update, the user may have answered again.
        if (this.#sent && this.#sent !== popup) return;
        this.#sent = null;
        if (outcome.isDone && isSame()) {
            this.#isAnswered = true;
            this.#fillActions();
            const waits = popup.quorum > 1 || popup.quorumAll;
            if (waits) this.#release();
            this.setNote(waits ? "Answered. Waiting for others." : "Answered.", waits ? false : undefined);
        } else if (!outcome.isDone) {
            this.setNote(isStale ? changed
                : outcome.problem?.detail ?? "The answer was not sent.", true);
        }
        this.setConnection(this.#screen.connection);
    }

    /** Enables the buttons while answers can be sent. */
    setConnection(connection) {
        const { actions } = this.#parts, isOff = this.#sent || connection !== "open";
        const hadFocus = isOff && actions.contains(this.#root.getRootNode().activeElement);
        for (const button of actions.children) button.disabled = Boolean(isOff);
        // A button that is disabled would lose the focus to nowhere.
        if (hadFocus) this.#root.focus({ preventScroll: true });
        if (this.#isAnswered && connection !== "open") this.#release();
        if (this.isModal && connection === "lost") this.#giveWay();
        if (this.#isStale && connection === "open") this.#comeBack();
        // Its time may have been over for long.
        if (connection === "lost") this.seed();
    }

    /** Tells the broker when a person can see the popup no more, and when again. */
    reportVisibility() {
        const report = this.#isOpen && !document.hidden ? "visible" : "hidden";
        if (!this.#screen.isRenderer || report === this.#report) return;
        this.#report = report;
        this.#screen.report(this.#popup, report);
    }

    /** Reports a hidden box again: the gateway has reported what it sent as visible. */
    reportAgain() {
        this.#report = "visible";
        this.reportVisibility();
    }
}
