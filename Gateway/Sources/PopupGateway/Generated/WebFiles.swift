// Written by Scripts/web_files.py from the files in Gateway/web. Change those, and run it again.
// swift-format-ignore-file

/// The files of the gateway's pages, by name.
enum WebFiles {
    static let texts: [String: String] = [
        "popup.js": ##"""
const lostAfter = 5000;
const sleep = (ms, signal) => new Promise(resolve => {
const timer = setTimeout(resolve, ms);
signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});
async function* lines(body, heard = () => {}) {
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
const isNewer = (state, other) => {
const [epoch, otherEpoch] = [BigInt(state.epoch), BigInt(other.epoch)];
return epoch > otherEpoch || epoch === otherEpoch && BigInt(state.revision ?? 0) > BigInt(other.revision ?? 0);
};
class Feed {
static #feeds = new Map();
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
#isLeft = false;
#connection = "connecting";
#lostTimer = 0;
#heardAt = 0;
#silence = 35_000;
#channel = null;
constructor(gateway) {
this.#gateway = gateway;
window.addEventListener("pagehide", () => {
this.#isLeft = true;
this.#isSynced = false;
this.#stream?.abort();
});
for (const [target, name] of [[window, "online"], [window, "pageshow"], [document, "visibilitychange"]]) {
target.addEventListener(name, event => {
if (name === "pageshow") {
if (!event.persisted) return;
this.#isLeft = false;
}
const isSilent = performance.now() - this.#heardAt > this.#silence;
if (this.#stream && this.#connection !== "denied" && (!this.#isSynced || isSilent)) this.#open();
});
}
}
follow(listener) {
this.#listeners.add(listener);
listener.setConnection(this.#connection);
for (const state of this.#states.values()) listener.show(state);
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
this.#open();
}
#open() {
this.#stream?.abort();
this.#stream = null;
if (!this.#groups) return this.#states.clear();
this.#stream = new AbortController();
if (this.#isLeft) return;
const { signal } = this.#stream;
if (this.#gateway.client || !navigator.locks || !window.BroadcastChannel) this.#run(signal);
else this.#share(signal).catch(() => {});
}
async #share(signal) {
const { source, token } = this.#gateway;
const name = `popups ${source} ${token} ${this.#groups}`;
const channel = new BroadcastChannel(name);
let leads = false;
signal.addEventListener("abort", () => channel.close(), { once: true });
channel.onmessage = ({ data }) => {
if (leads && data.asks) this.#publish(...this.#states.values());
if (leads || data.asks) return;
this.#heardAt = performance.now();
for (const { state, age } of data.states) this.#take(state, age);
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
#publish(...entries) {
this.#channel?.postMessage({
states: entries.map(({ state, received }) => ({ state, age: performance.now() - received })),
connection: this.#connection,
});
}
async #run(signal) {
const began = performance.now();
let failures = 0;
while (!signal.aborted) {
this.#isSynced = false;
this.#loseLater();
const opened = performance.now();
const end = await this.#read(signal).catch(() => ({}));
if (signal.aborted) return;
if (end.denied) return this.#setConnection("denied");
failures = this.#isSynced && performance.now() - opened > 1000 ? 0 : failures + 1;
const most = performance.now() - began < 60_000 || !failures ? 4000 : 30_000;
await sleep(end.retry ?? Math.random() * Math.min(most, 500 * 2 ** Math.min(failures, 10)), signal);
}
}
async #read(signal) {
const attempt = new AbortController();
const abort = () => attempt.abort();
signal.addEventListener("abort", abort, { once: true });
let watchdog = setTimeout(abort, this.#silence);
try {
const query = new URLSearchParams(this.#groups.split(" ").map(group => ["group", group]));
if (this.#gateway.client) query.set("client", this.#gateway.client);
const answer = await this.#gateway.fetch(`/v1/stream?${query}`, {
headers: { Accept: "application/x-ndjson" }, signal: attempt.signal, cache: "no-store",
});
if ([400, 401, 403, 404].includes(answer.status)) return { denied: true };
if (!answer.ok || !answer.headers.get("Content-Type")?.startsWith("application/x-ndjson")) return {};
const present = new Set();
const heard = () => {
this.#heardAt = performance.now();
clearTimeout(watchdog);
watchdog = setTimeout(abort, this.#silence);
};
let retry;
for await (const item of lines(answer.body, heard)) {
if (signal.aborted) break;
if (item.event === "busy") retry = item.retryAfterMs * (0.5 + Math.random());
else this.#hear(item, present);
}
return { retry };
} finally {
clearTimeout(watchdog);
signal.removeEventListener("abort", abort);
attempt.abort();
}
}
#hear(item, present) {
switch (item.event) {
case "hello":
if (item.heartbeatMs) this.#silence = 2 * item.heartbeatMs + 5000;
break;
case "state":
present.add(item.group);
this.#take(item, 0);
break;
case "synced":
for (const { state } of this.#states.values()) {
if (!present.has(state.group)) this.#take({ ...state, active: undefined, offered: false }, 0);
}
present.clear();
this.#isSynced = true;
this.#setConnection("open");
break;
case "broker":
if (!item.connected) this.#loseLater();
break;
}
}
#take(state, age) {
const last = this.#states.get(state.group)?.state;
if (last && isNewer(last, state)) return;
const entry = { state, received: performance.now() - age };
this.#states.set(state.group, entry);
this.#publish(entry);
this.#tell(listener => listener.show(entry));
}
#loseLater() {
this.#lostTimer ||= setTimeout(() => this.#setConnection("lost"), lostAfter);
}
#setConnection(connection) {
clearTimeout(this.#lostTimer);
this.#lostTimer = 0;
if (connection === this.#connection) return;
this.#connection = connection;
this.#publish();
this.#tell(listener => listener.setConnection(connection));
}
#tell(call) {
for (const listener of [...this.#listeners]) call(listener);
}
}
class Gateway {
constructor(source, token, client) {
this.source = source;
this.token = token;
this.client = client;
}
follow(listener) {
return Feed.of(this).follow(listener);
}
fetch(path, options = {}) {
const right = this.token ? { Authorization: `Bearer ${this.token}` } : { "X-Popup": "1" };
const headers = { ...right, ...options.headers };
return fetch(this.source + path, { ...options, headers, redirect: "error", referrerPolicy: "no-referrer" });
}
async send(method, path, body) {
try {
const answer = await this.fetch(path, {
method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
});
return { status: answer.status, problem: answer.ok ? null : await answer.json().catch(() => null) };
} catch {
return { status: 0, problem: null };
}
}
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
class Modals {
static #boxes = [];
static #open = null;
static add(box) {
Modals.#boxes.push(box);
Modals.#choose();
}
static remove(box) {
const place = Modals.#boxes.indexOf(box);
if (place < 0) return;
Modals.#boxes.splice(place, 1);
if (Modals.#open === box) Modals.#open = null;
queueMicrotask(() => Modals.#choose());
}
static #choose() {
const first = Modals.#boxes.reduce((best, box) => !best || box.priority > best.priority ? box : best, null);
for (const box of Modals.#boxes) if (box !== first) box.close();
Modals.#open = first;
first?.open();
}
}
class Shield {
static #areas = [];
static #listens = false;
static cover(area) {
const until = performance.now() + 300;
Shield.#areas = [...Shield.#areas.filter(other => other.until > performance.now()), { area, until }];
if (Shield.#listens) return;
Shield.#listens = true;
for (const name of ["pointerdown", "pointerup", "mousedown", "mouseup", "click"]) {
window.addEventListener(name, Shield.#swallow, { capture: true });
}
}
static #swallow = event => {
const isCovered = Shield.#areas.some(({ area, until }) => until > performance.now()
&& event.clientX >= area.left && event.clientX < area.right
&& event.clientY >= area.top && event.clientY < area.bottom);
if (!isCovered || event.detail === 0 && event.type === "click") return;
event.preventDefault();
event.stopImmediatePropagation();
};
}
const guard = 400;
const staleAfter = 12_000;
const signs = {
info: ["ℹ", "Information"], success: ["✓", "Success"], warning: ["⚠", "Warning"], error: ["✕", "Error"],
};
const places = { TOP_BAR: "top", BOTTOM_SHEET: "bottom", CENTER: "center", FULL_SCREEN: "full" };
let lastNumber = 0;
const make = (name, part, parent) => {
const element = document.createElement(name);
if (part) element.part = element.className = part;
parent?.append(element);
return element;
};
const isModal = popup => popup.presentation?.backdrop === true;
class Box {
#screen;
#root;
#parts = {};
#popup;
#version = "";
#deadline = null;
#total = 0;
#takesFrom;
#isSending = false;
#isAnswered = false;
#timer = 0;
#drawing = null;
#report = "visible";
#image = null;
#isOpen = false;
constructor(screen, entry) {
this.#screen = screen;
this.#popup = entry.state.active;
this.isModal = isModal(this.#popup);
this.#takesFrom = performance.now() + guard;
this.#build();
this.show(entry);
}
get id() { return this.#popup.id; }
get root() { return this.#root; }
get priority() { return this.#popup.priority ?? 0; }
get hasActions() { return this.#screen.isRenderer && (this.#popup.actions?.length ?? 0) > 0; }
get place() { return places[this.#popup.presentation?.scene] ?? "corner"; }
fits(popup) {
return popup.id === this.#popup.id && isModal(popup) === this.isModal
&& (places[popup.presentation?.scene] ?? "corner") === this.place;
}
show({ state, received }) {
const popup = state.active;
const version = `${state.epoch}:${popup.sinceRevision}`;
this.#popup = popup;
const remaining = popup.remainingMs;
this.#deadline = remaining === undefined ? null : received + remaining;
if (version !== this.#version) {
this.#version = version;
this.#isSending = this.#isAnswered = false;
this.#total = Math.max(popup.durationMs ?? 0, remaining ?? 0);
this.#takesFrom = performance.now() + guard;
this.#fill();
}
this.seed();
}
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
close() {
this.#isOpen = false;
this.#root.hidden = true;
if (this.isModal && this.#root.open) this.#root.close();
this.reportVisibility();
}
remove() {
clearTimeout(this.#timer);
this.#drawing?.cancel();
if (this.hasActions && this.#isOpen) Shield.cover(this.#root.getBoundingClientRect());
Modals.remove(this);
const hadFocus = this.#root.contains(this.#root.getRootNode().activeElement);
if (this.isModal && this.#root.open) this.#root.close();
if (this.#image) URL.revokeObjectURL(this.#image);
this.#root.remove();
if (hadFocus && !this.isModal) this.#screen.restoreFocus();
}
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
const foot = make("div", "foot", root);
parts.time = make("span", "time", foot);
parts.time.setAttribute("role", "timer");
parts.actions = make("div", "actions", foot);
parts.bar = make("div", "bar", root);
make("i", "", parts.bar);
parts.title.id = `title-${number}`;
parts.text.id = `text-${number}`;
root.addEventListener("keydown", event => {
if (event.key !== "Escape") return;
event.preventDefault();
event.stopPropagation();
this.actOutside();
});
root.addEventListener("cancel", event => event.preventDefault());
root.addEventListener("pointerdown", event => {
if (!this.isModal || event.target !== root) return;
const area = root.getBoundingClientRect();
const isInside = event.clientX >= area.left && event.clientX < area.right
&& event.clientY >= area.top && event.clientY < area.bottom;
if (!isInside) this.actOutside();
});
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
root.toggleAttribute("data-actions", this.hasActions);
if (this.hasActions || this.isModal) {
root.setAttribute("role", this.isModal ? "alertdialog" : "dialog");
if (presentation.title) root.setAttribute("aria-labelledby", parts.title.id);
else root.setAttribute("aria-label", meaning ?? "Popup");
root.setAttribute("aria-describedby", parts.text.id);
} else {
for (const name of ["role", "aria-label", "aria-labelledby", "aria-describedby"]) root.removeAttribute(name);
}
this.#fillActions();
this.#setNote("");
if (this.#isOpen) this.announce();
}
#fillIcon(icon) {
const url = URL.canParse(icon) ? new URL(icon) : null;
const isShown = /^https?:$/.test(url?.protocol) && this.#screen.imageHosts.includes(url.host);
this.#parts.icon.hidden = !isShown;
if (isShown) this.#parts.icon.src = url.href;
this.#root.dataset.icon = icon;
}
#fillContent() {
const { text, data, contentType = "text/plain" } = this.#popup, { text: part, image } = this.#parts;
if (this.#image) URL.revokeObjectURL(this.#image);
this.#image = null;
if (/^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/.test(contentType) && data) {
const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
image.src = this.#image = URL.createObjectURL(new Blob([bytes], { type: contentType }));
image.alt = this.#popup.presentation?.title ?? "An image without a description";
}
image.hidden = !this.#image;
part.textContent = this.#image ? "" : text ?? (data ? `This content (${contentType}) cannot be shown here.` : "");
part.hidden = !part.textContent;
}
#fillActions() {
const actions = this.hasActions && !this.#isAnswered ? this.#popup.actions : [];
const hadFocus = this.#parts.actions.contains(this.#root.getRootNode().activeElement);
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
#setNote(text) {
this.#parts.note.textContent = text;
this.#parts.note.hidden = !text;
}
announce() {
const { presentation = {}, actions = [] } = this.#popup;
const parts = [presentation.title, this.#parts.text.textContent || this.#parts.image.alt].filter(Boolean);
if (this.hasActions) {
parts.push(actions.length === 1 ? "1 action" : `${actions.length} actions`);
if (!this.isModal) parts.push("press F6 to reach it");
}
this.#screen.announce(
this.id, parts.join(". "), presentation.style === "warning" || presentation.style === "error");
}
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
else if (this.#screen.connection !== "open") this.#screen.forget(this);
}
#offerMoreTime(left) {
const isOffered = this.hasActions && this.#screen.offersMoreTime && left > 0 && !this.#isAnswered
&& left <= Math.max(20_000, this.#total / 2);
this.#parts.more.hidden = !isOffered;
}
async #extend() {
const popup = this.#popup;
this.#parts.more.disabled = true;
const { isDone, status } = await this.#screen.send("PATCH", popup, "", { restartTimer: true });
if (popup.id !== this.#popup.id) return;
this.#parts.more.disabled = false;
if (!isDone) {
this.#setNote("More time was not given.");
if (status === 403) this.#screen.offersMoreTime = false;
}
}
get #takes() {
return this.#isOpen && !this.#isSending && !this.#isAnswered && performance.now() >= this.#takesFrom
&& this.#screen.isRenderer && this.#screen.connection === "open";
}
actOutside() {
if (this.#popup.presentation?.dismissOnOutside) this.#act("outside");
}
async #act(action) {
if (!this.#takes) return;
const popup = this.#popup;
const isSame = () => this.#popup.id === popup.id && this.#popup.sinceRevision === popup.sinceRevision
&& this.#root.isConnected;
this.#isSending = true;
this.setConnection(this.#screen.connection);
const outcome = await this.#screen.send("POST", popup, "/dismiss", {
action, revision: popup.sinceRevision, client: this.#screen.client,
}, isSame);
this.#screen.dispatch("popup-action", { id: popup.id, group: popup.group, action, isDone: outcome.isDone });
if (!this.#root.isConnected) return;
this.#isSending = false;
if (outcome.isDone && isSame()) {
this.#isAnswered = true;
this.#fillActions();
this.#setNote(popup.quorum > 1 || popup.quorumAll ? "Answered. Waiting for others." : "Answered.");
} else if (!outcome.isDone) {
const isStale = outcome.status === 409 || outcome.status === 404;
this.#setNote(isStale ? "The popup has changed. Please look again."
: outcome.problem?.detail ?? "The answer was not sent.");
this.#screen.announce(this.id, this.#parts.note.textContent, true);
}
this.setConnection(this.#screen.connection);
}
setConnection(connection) {
for (const button of this.#parts.actions.children) button.disabled = this.#isSending || connection !== "open";
}
reportVisibility() {
const report = this.#isOpen && !document.hidden ? "visible" : "hidden";
if (!this.#screen.isRenderer || report === this.#report) return;
this.#report = report;
this.#screen.report(this.#popup, report);
}
}
const styles = `
:host {
--popup-back: #fff; --popup-text: #1a1d21; --popup-soft: #565d66; --popup-line: #d4d8dd; --popup-shade: #0008;
--popup-accent: #3559b5; --popup-on-accent: #fff; --popup-focus: #0b57d0; --popup-radius: 12px;
--popup-font: 16px/1.45 system-ui, sans-serif; --popup-width: 26rem;
}
@media (prefers-color-scheme: dark) {
:host(:not([theme=light])) {
--popup-back: #1d2126; --popup-text: #f1f3f5; --popup-soft: #b4bcc6; --popup-line: #3c434c;
--popup-accent: #8fb0ff; --popup-on-accent: #10151c; --popup-focus: #a8c7ff;
}
}
:host([theme=dark]) {
--popup-back: #1d2126; --popup-text: #f1f3f5; --popup-soft: #b4bcc6; --popup-line: #3c434c;
--popup-accent: #8fb0ff; --popup-on-accent: #10151c; --popup-focus: #a8c7ff;
}
:host { display: contents; font: var(--popup-font); color: var(--popup-text); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.place {
position: fixed; z-index: 2147483000; pointer-events: none; display: flex; flex-direction: column; gap: 12px;
max-height: 100vh; max-width: 100vw;
}
#place-top { inset: 0 0 auto 0; gap: 1px; }
#place-bottom { inset: auto 0 0 0; align-items: center; }
#place-center { inset: 0; align-items: center; justify-content: center; padding: 16px; }
#place-full { inset: 0; gap: 0; }
#place-corner { z-index: 2147483001; inset: auto 16px 16px auto; width: min(var(--popup-width), 100vw - 32px); }
:host([corner=top-right]) #place-corner { inset: 16px 16px auto auto; }
:host([corner=top-left]) #place-corner { inset: 16px auto auto 16px; }
:host([corner=bottom-left]) #place-corner { inset: auto auto 16px 16px; }
.box {
pointer-events: auto; position: relative; overflow: auto; margin: 0; padding: 16px 20px; width: 100%;
max-width: 100vw; max-height: 100vh; color: var(--popup-text); background: var(--popup-back);
border: 1px solid var(--popup-line); border-inline-start: 6px solid var(--popup-accent);
border-radius: var(--popup-radius); box-shadow: 0 8px 32px #0004; overflow-wrap: anywhere;
}
.box[data-style=success] { --popup-accent: #1a7f45; }
.box[data-style=warning] { --popup-accent: #8f5a00; }
.box[data-style=error] { --popup-accent: #b3261e; }
:host([theme=dark]) .box[data-style=success] { --popup-accent: #62d394; }
:host([theme=dark]) .box[data-style=warning] { --popup-accent: #ffc35c; }
:host([theme=dark]) .box[data-style=error] { --popup-accent: #ff9d94; }
@media (prefers-color-scheme: dark) {
:host(:not([theme=light])) .box[data-style=success] { --popup-accent: #62d394; }
:host(:not([theme=light])) .box[data-style=warning] { --popup-accent: #ffc35c; }
:host(:not([theme=light])) .box[data-style=error] { --popup-accent: #ff9d94; }
}
.box[data-place=top] { border-radius: 0; border-width: 0 0 1px 6px; }
.box[data-place=bottom] {
max-width: 40rem; border-end-start-radius: 0; border-end-end-radius: 0; border-bottom-width: 0;
}
.box[data-place=center] { max-width: var(--popup-width); }
.box[data-place=full] {
flex: 1; border-radius: 0; border-width: 0; display: flex; flex-direction: column; justify-content: center;
align-items: center; text-align: center; font-size: 1.5em;
}
dialog.box[data-place=top] { margin: 0 auto auto; }
dialog.box[data-place=bottom] { margin: auto auto 0; }
dialog.box[data-place=center], dialog.box[data-place=corner] { margin: auto; width: min(var(--popup-width), 100vw - 32px); }
dialog.box[data-place=full] { height: 100vh; }
dialog.box:not([open]) { display: none; }
dialog.box::backdrop { background: var(--popup-shade); }
.head { display: flex; gap: 10px; align-items: center; }
.sign {
flex: none; width: 1.5em; height: 1.5em; border-radius: 50%; display: grid; place-items: center; font-weight: 700;
line-height: 1; background: var(--popup-accent); color: var(--popup-on-accent);
}
.icon { width: 32px; height: 32px; object-fit: contain; }
.title { margin: 0; font-size: 1.125em; line-height: 1.3; }
.text { white-space: pre-line; }
.title:not([hidden]) { margin-block-end: 2px; }
.image { display: block; max-width: 100%; max-height: 60vh; margin-block-start: 8px; }
.note { margin: 8px 0 0; color: var(--popup-soft); }
.foot { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; justify-content: space-between; }
.time { color: var(--popup-soft); font-variant-numeric: tabular-nums; margin-block-start: 8px; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-inline-start: auto; }
.actions:has(button:not([hidden])) { margin-block-start: 12px; }
button {
min-width: 44px; min-height: 44px; padding: 6px 18px; font: inherit; font-weight: 600; cursor: pointer;
border: 2px solid var(--popup-accent); border-radius: 8px; background: var(--popup-accent);
color: var(--popup-on-accent); overflow-wrap: anywhere;
}
button ~ button { background: transparent; color: var(--popup-text); }
button:disabled { opacity: .55; cursor: default; }
:focus-visible { outline: 3px solid var(--popup-focus); outline-offset: 2px; }
.box:focus:not(:focus-visible) { outline: none; }
.bar { position: absolute; inset: auto 0 0 0; height: 4px; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--popup-accent); transform-origin: left; }
:host(:dir(rtl)) .bar i { transform-origin: right; }
.lost {
position: fixed; inset: auto auto 8px 8px; padding: 4px 10px; border-radius: 8px; font-size: .8125em;
background: var(--popup-back); color: var(--popup-soft); border: 1px solid var(--popup-line);
}
@media (prefers-reduced-motion: no-preference) {
.box[data-animation=fade] { animation: fade .2s; }
.box[data-animation=slide] { animation: slide .25s; }
.box[data-animation=zoom] { animation: zoom .2s; }
}
@media (prefers-reduced-motion: reduce) { .bar { display: none; } }
@keyframes fade { from { opacity: 0; } }
@keyframes slide { from { opacity: 0; transform: translateY(24px); } }
@keyframes zoom { from { opacity: 0; transform: scale(.92); } }
@media (forced-colors: active) {
.box, button { border-color: CanvasText; }
.bar i { background: Highlight; forced-color-adjust: none; }
}
`;
const source = /^https?:/.test(import.meta.url) ? new URL(import.meta.url).origin : "";
const pageName = "web-" + [...crypto.getRandomValues(new Uint8Array(8))]
.map(byte => byte.toString(16).padStart(2, "0")).join("");
class PopupScreen extends HTMLElement {
static observedAttributes = ["group", "src", "token", "mode", "client"];
#root = this.attachShadow({ mode: "open" });
#boxes = new Map();
#offers = new Map();
#gateway = null;
#unfollow = null;
#announced = "";
#focusBefore = null;
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
const see = () => { seed(); for (const box of this.#boxes.values()) box.reportVisibility(); };
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
for (const group of [...this.#boxes.keys()]) this.#drop(group);
}
attributeChangedCallback() {
if (!this.isConnected || this.#isPending) return;
this.#isPending = true;
queueMicrotask(() => {
this.#isPending = false;
if (this.isConnected) this.#follow();
});
}
get groups() { return (this.getAttribute("group") ?? "").split(/[\s,]+/).filter(Boolean); }
get isRenderer() { return this.getAttribute("mode") === "render"; }
get client() { return this.getAttribute("client") || pageName; }
get imageHosts() { return (this.getAttribute("image-hosts") ?? "").split(/\s+/).filter(Boolean); }
#follow() {
this.#unfollow?.();
for (const group of [...this.#boxes.keys()]) this.#drop(group);
this.offersMoreTime = this.hasAttribute("extend");
this.#gateway = new Gateway(
(this.getAttribute("src") || source).replace(/\/$/, ""), this.getAttribute("token") ?? "",
this.isRenderer ? this.client : "");
this.#unfollow = this.groups.length ? this.#gateway.follow(this) : null;
}
show(entry) {
const { state } = entry;
if (!this.#shows(state.group)) return;
if (state.offered) this.#offer(state);
const popup = state.offered ? undefined : state.active;
const box = this.#boxes.get(state.group);
if (box && popup && box.fits(popup)) return box.show(entry);
if (box) this.#drop(state.group);
if (!popup) return;
this.#add(state.group, new Box(this, entry));
if (box?.id !== popup.id) this.dispatch("popup-shown", { id: popup.id, group: state.group, popup });
}
setConnection(connection) {
const before = this.connection;
this.connection = this.dataset.connection = connection;
for (const box of this.#boxes.values()) box.setConnection(connection);
const words = {
lost: "The connection is lost. What you see may be old.", denied: "The gateway refuses this screen's token.",
};
const lost = this.#root.getElementById("lost");
lost.textContent = words[connection] ?? "";
lost.hidden = !words[connection];
if (words[connection] && before !== connection) this.announce("", words[connection], false);
this.dispatch("popup-connection", { connection });
}
#shows(group) {
return this.groups.some(pattern => pattern === "*" || pattern === group
|| pattern.endsWith("/*") && group.startsWith(pattern.slice(0, -1)));
}
#add(group, box) {
this.#boxes.set(group, box);
this.#root.getElementById(`place-${box.place}`).append(box.root);
if (box.isModal) Modals.add(box);
else box.open();
}
#drop(group) {
const box = this.#boxes.get(group);
if (!box) return;
this.#boxes.delete(group);
box.remove();
this.dispatch("popup-closed", { id: box.id, group });
}
forget(box) {
for (const [group, other] of this.#boxes) if (other === box) this.#drop(group);
}
#offer({ active, group }) {
if (!this.isRenderer || this.#offers.get(group) === active.id + active.sinceRevision) return;
this.#offers.set(group, active.id + active.sinceRevision);
const mode = this.getAttribute("offer") ?? "auto";
const answer = word => this.send("POST", active, "/answer", { client: this.client, [word]: {} });
if (mode === "manual") this.dispatch("popup-offer", { popup: active, group, answer });
else if (mode === "auto" && !document.hidden) answer("accept");
}
send(method, popup, verb, body, isWanted = () => this.isConnected) {
const path = `/v1/popups/${encodeURIComponent(popup.id)}${verb}`;
return this.#gateway.settle(method, path, { ...body, group: popup.group }, isWanted);
}
report(popup, word) {
this.#gateway.send("POST", `/v1/popups/${encodeURIComponent(popup.id)}/report`, {
client: this.client, [word]: {}, group: popup.group,
});
}
announce(id, text, isUrgent) {
if (this.#announced === id + text) return;
this.#announced = id + text;
this.#root.getElementById(isUrgent ? "assertive" : "polite").textContent = text;
}
dispatch(name, detail) {
this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
}
#onKey(event) {
if (event.key !== "F6" || event.defaultPrevented) return;
const boxes = [...this.#boxes.values()].filter(box => box.hasActions && !box.isModal).map(box => box.root);
if (!boxes.length) return;
event.preventDefault();
const next = boxes.findIndex(root => root.contains(this.#root.activeElement)) + 1;
if (next === 0) this.#focusBefore = document.activeElement;
if (next < boxes.length) boxes[next].focus();
else this.restoreFocus();
}
restoreFocus() {
const before = this.#focusBefore;
this.#focusBefore = null;
this.#root.activeElement?.blur();
if (before?.isConnected) before.focus({ preventScroll: true });
}
#onPointer(event) {
const path = event.composedPath();
const boxes = [...this.#boxes.values()];
if (boxes.some(box => path.includes(box.root))) return;
for (const box of boxes) if (!box.isModal) box.actOutside();
}
}
customElements.define("popup-screen", PopupScreen);
"""##,
        "overlay.js": ##"""
const page = document.documentElement;
const query = new URLSearchParams(location.search);
const secret = new URLSearchParams(location.hash.slice(1));
const screen = document.createElement("popup-screen");
const groups = query.getAll("group");
const path = location.pathname.match(/\/overlay\/(.+)$/);
if (path) groups.push(decodeURIComponent(path[1]));
const settings = JSON.parse(page.dataset.settings || "{}");
for (const name of ["theme", "mode", "client", "corner", "offer", "extend"]) {
if (query.has(name)) settings[name] = query.get(name);
}
if (groups.length) settings.group = groups.join(" ");
if (secret.has("token")) settings.token = secret.get("token");
for (const name of ["group", "src", "token", "theme", "mode", "client", "corner", "offer", "extend", "image-hosts"]) {
if (settings[name]) screen.setAttribute(name, settings[name]);
}
window.addEventListener("hashchange", () => {
screen.setAttribute("token", new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
});
document.body.append(screen);
"""##,
        "dashboard.js": ##"""
const lostAfter = 5000;
const sleep = (ms, signal) => new Promise(resolve => {
const timer = setTimeout(resolve, ms);
signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});
async function* lines(body, heard = () => {}) {
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
const isNewer = (state, other) => {
const [epoch, otherEpoch] = [BigInt(state.epoch), BigInt(other.epoch)];
return epoch > otherEpoch || epoch === otherEpoch && BigInt(state.revision ?? 0) > BigInt(other.revision ?? 0);
};
class Feed {
static #feeds = new Map();
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
#isLeft = false;
#connection = "connecting";
#lostTimer = 0;
#heardAt = 0;
#silence = 35_000;
#channel = null;
constructor(gateway) {
this.#gateway = gateway;
window.addEventListener("pagehide", () => {
this.#isLeft = true;
this.#isSynced = false;
this.#stream?.abort();
});
for (const [target, name] of [[window, "online"], [window, "pageshow"], [document, "visibilitychange"]]) {
target.addEventListener(name, event => {
if (name === "pageshow") {
if (!event.persisted) return;
this.#isLeft = false;
}
const isSilent = performance.now() - this.#heardAt > this.#silence;
if (this.#stream && this.#connection !== "denied" && (!this.#isSynced || isSilent)) this.#open();
});
}
}
follow(listener) {
this.#listeners.add(listener);
listener.setConnection(this.#connection);
for (const state of this.#states.values()) listener.show(state);
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
this.#open();
}
#open() {
this.#stream?.abort();
this.#stream = null;
if (!this.#groups) return this.#states.clear();
this.#stream = new AbortController();
if (this.#isLeft) return;
const { signal } = this.#stream;
if (this.#gateway.client || !navigator.locks || !window.BroadcastChannel) this.#run(signal);
else this.#share(signal).catch(() => {});
}
async #share(signal) {
const { source, token } = this.#gateway;
const name = `popups ${source} ${token} ${this.#groups}`;
const channel = new BroadcastChannel(name);
let leads = false;
signal.addEventListener("abort", () => channel.close(), { once: true });
channel.onmessage = ({ data }) => {
if (leads && data.asks) this.#publish(...this.#states.values());
if (leads || data.asks) return;
this.#heardAt = performance.now();
for (const { state, age } of data.states) this.#take(state, age);
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
#publish(...entries) {
this.#channel?.postMessage({
states: entries.map(({ state, received }) => ({ state, age: performance.now() - received })),
connection: this.#connection,
});
}
async #run(signal) {
const began = performance.now();
let failures = 0;
while (!signal.aborted) {
this.#isSynced = false;
this.#loseLater();
const opened = performance.now();
const end = await this.#read(signal).catch(() => ({}));
if (signal.aborted) return;
if (end.denied) return this.#setConnection("denied");
failures = this.#isSynced && performance.now() - opened > 1000 ? 0 : failures + 1;
const most = performance.now() - began < 60_000 || !failures ? 4000 : 30_000;
await sleep(end.retry ?? Math.random() * Math.min(most, 500 * 2 ** Math.min(failures, 10)), signal);
}
}
async #read(signal) {
const attempt = new AbortController();
const abort = () => attempt.abort();
signal.addEventListener("abort", abort, { once: true });
let watchdog = setTimeout(abort, this.#silence);
try {
const query = new URLSearchParams(this.#groups.split(" ").map(group => ["group", group]));
if (this.#gateway.client) query.set("client", this.#gateway.client);
const answer = await this.#gateway.fetch(`/v1/stream?${query}`, {
headers: { Accept: "application/x-ndjson" }, signal: attempt.signal, cache: "no-store",
});
if ([400, 401, 403, 404].includes(answer.status)) return { denied: true };
if (!answer.ok || !answer.headers.get("Content-Type")?.startsWith("application/x-ndjson")) return {};
const present = new Set();
const heard = () => {
this.#heardAt = performance.now();
clearTimeout(watchdog);
watchdog = setTimeout(abort, this.#silence);
};
let retry;
for await (const item of lines(answer.body, heard)) {
if (signal.aborted) break;
if (item.event === "busy") retry = item.retryAfterMs * (0.5 + Math.random());
else this.#hear(item, present);
}
return { retry };
} finally {
clearTimeout(watchdog);
signal.removeEventListener("abort", abort);
attempt.abort();
}
}
#hear(item, present) {
switch (item.event) {
case "hello":
if (item.heartbeatMs) this.#silence = 2 * item.heartbeatMs + 5000;
break;
case "state":
present.add(item.group);
this.#take(item, 0);
break;
case "synced":
for (const { state } of this.#states.values()) {
if (!present.has(state.group)) this.#take({ ...state, active: undefined, offered: false }, 0);
}
present.clear();
this.#isSynced = true;
this.#setConnection("open");
break;
case "broker":
if (!item.connected) this.#loseLater();
break;
}
}
#take(state, age) {
const last = this.#states.get(state.group)?.state;
if (last && isNewer(last, state)) return;
const entry = { state, received: performance.now() - age };
this.#states.set(state.group, entry);
this.#publish(entry);
this.#tell(listener => listener.show(entry));
}
#loseLater() {
this.#lostTimer ||= setTimeout(() => this.#setConnection("lost"), lostAfter);
}
#setConnection(connection) {
clearTimeout(this.#lostTimer);
this.#lostTimer = 0;
if (connection === this.#connection) return;
this.#connection = connection;
this.#publish();
this.#tell(listener => listener.setConnection(connection));
}
#tell(call) {
for (const listener of [...this.#listeners]) call(listener);
}
}
class Gateway {
constructor(source, token, client) {
this.source = source;
this.token = token;
this.client = client;
}
follow(listener) {
return Feed.of(this).follow(listener);
}
fetch(path, options = {}) {
const right = this.token ? { Authorization: `Bearer ${this.token}` } : { "X-Popup": "1" };
const headers = { ...right, ...options.headers };
return fetch(this.source + path, { ...options, headers, redirect: "error", referrerPolicy: "no-referrer" });
}
async send(method, path, body) {
try {
const answer = await this.fetch(path, {
method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
});
return { status: answer.status, problem: answer.ok ? null : await answer.json().catch(() => null) };
} catch {
return { status: 0, problem: null };
}
}
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
const setText = (element, text) => {
if (element.textContent !== String(text)) element.textContent = text;
};
const timeLeft = ms => {
if (ms === undefined) return "";
const seconds = Math.max(0, Math.ceil(ms / 1000));
return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
};
const makeButton = (label, description, act, className = "") => {
const button = document.createElement("button");
Object.assign(button, { type: "button", textContent: label, className });
if (description) button.setAttribute("aria-label", description);
button.addEventListener("click", act);
return button;
};
class Rows {
#body;
#make;
#rows = new Map();
constructor(table, make) {
this.#body = table.tBodies[0];
this.#make = make;
}
has(key) { return this.#rows.has(key); }
get size() { return this.#rows.size; }
set(key, value, compare) {
let row = this.#rows.get(key);
if (!row) {
const element = document.createElement("tr");
const { cells, patch } = this.#make(key);
element.append(...cells.map(({ name = "td", className = "", children = [] } = {}) => {
const cell = document.createElement(name);
cell.className = className;
if (name === "th") cell.scope = "row";
cell.append(...children);
return cell;
}));
row = { element, patch: value => patch(value, element.cells), value };
this.#rows.set(key, row);
const next = [...this.#body.rows].find(other => compare(this.#value(other), value) > 0);
this.#body.insertBefore(element, next ?? null);
element.key = key;
}
row.value = value;
row.patch(value);
}
delete(key) {
const element = this.#rows.get(key)?.element;
if (!element) return;
this.#rows.delete(key);
const hadFocus = element.contains(document.activeElement);
const neighbour = element.nextElementSibling ?? element.previousElementSibling;
element.remove();
if (hadFocus) (neighbour?.querySelector("button") ?? this.#body.closest("[tabindex]"))?.focus();
}
replace(entries, compare) {
const keys = new Set(entries.map(([key]) => key));
for (const key of [...this.#rows.keys()]) if (!keys.has(key)) this.delete(key);
for (const [key, value] of entries) this.set(key, value, compare);
}
sort(compare) {
const focused = document.activeElement;
this.#body.append(...[...this.#body.rows].sort((a, b) => compare(this.#value(a), this.#value(b))));
if (this.#body.contains(focused)) focused.focus();
}
refresh() {
for (const { patch, value } of this.#rows.values()) patch(value);
}
#value(element) { return this.#rows.get(element.key)?.value; }
}
const maxEvents = 200;
const byId = id => document.getElementById(id);
const path = id => `/v1/popups/${encodeURIComponent(id)}`;
class Detail {
group = "";
isPaused = false;
#desk;
#queue;
#work = new AbortController();
#refreshes = 0;
#lastEvent = "";
constructor(desk) {
this.#desk = desk;
this.#queue = new Rows(byId("queue"), id => this.#row(id));
byId("close").addEventListener("click", () => this.close());
byId("hold").addEventListener("click", () => desk.act("POST", "/v1/suspend", this.#hold(true)));
byId("resume").addEventListener("click", () => desk.act("POST", "/v1/resume", this.#hold(false)));
window.addEventListener("pagehide", () => this.#work.abort());
window.addEventListener("pageshow", ({ persisted }) => {
if (!persisted || !this.group) return;
this.#work = new AbortController();
this.refresh();
this.#followEvents(this.#work.signal);
});
}
open(group) {
this.#work.abort();
this.#work = new AbortController();
this.group = group;
this.#lastEvent = "";
byId("detail").hidden = false;
byId("why").hidden = true;
byId("events").replaceChildren();
setText(byId("detail-title"), `Group ${group}`);
byId("detail-title").focus();
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
#hold(isHeld) {
const token = `hold/${this.group}`;
return isHeld ? { group: this.group, token } : { token };
}
async refresh() {
if (!this.group || this.isPaused || this.#refreshes++) return;
const { group } = this;
const answer = await this.#desk.read(`/v1/queue/${group}`);
if (answer && group === this.group) {
const popups = answer.popups ?? [];
this.#queue.replace(popups.map((popup, place) => [popup.id, { ...popup, place }]), (a, b) => a.place - b.place);
this.#queue.sort((a, b) => a.place - b.place);
setText(byId("queue-count"), `Popups, in their order: ${popups.length}${answer.truncated ? ", and more" : ""}`);
}
await sleep(1000);
const isDue = this.#refreshes > 1;
this.#refreshes = 0;
if (isDue) this.refresh();
}
#row(id) {
const why = makeButton("Why?", `Why is ${id} where it is?`, () => this.explain(id));
const withdraw = makeButton("Withdraw", `Withdraw ${id}`, async () => {
if (await this.#desk.confirm(`Withdraw the popup ${id}?`)) await this.#desk.act("DELETE", path(id));
this.refresh();
});
return {
cells: [{ name: "th" }, {}, { className: "number" }, { className: "number" }, { children: [why, withdraw] }],
patch: (popup, cells) => {
setText(cells[0], popup.title || popup.excerpt || popup.id);
setText(cells[1], popup.phase.toLowerCase());
setText(cells[2], popup.priority ?? 0);
setText(cells[3], timeLeft(popup.remainingMs ?? popup.delayMs));
},
};
}
async explain(id) {
const answer = await this.#desk.read(path(id), true);
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
const answer = await this.#desk.read(`/v1/policy?group=${encodeURIComponent(group)}`);
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
try {
const answer = await this.#desk.gateway.fetch(`/v1/events?${query}`, { signal });
if (answer.status === 403) return this.#addEvent("The token has no right to events.");
if (!answer.ok) throw new Error("not now");
for await (const item of lines(answer.body)) {
if (signal.aborted) return;
if (item.event === "gap") this.#addEvent("… events are missing here");
if (item.event !== "event") continue;
this.#lastEvent = item.id;
this.#addEvent(this.#words(item.data));
}
} catch {
}
await sleep(1000 + 2000 * Math.random(), signal);
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
if (this.isPaused) return;
const item = document.createElement("li");
item.textContent = text;
byId("events").prepend(item);
while (byId("events").children.length > maxEvents) byId("events").lastChild.remove();
}
}
const maxRows = 200;
const element = id => document.getElementById(id);
const nameOrder = (a, b) => a.group < b.group ? -1 : a.group > b.group ? 1 : 0;
const orders = {
group: nameOrder, waiting: (a, b) => (a.waiting ?? 0) - (b.waiting ?? 0) || nameOrder(a, b),
};
const desk = {
gateway: new Gateway("", "", ""),
async read(path, isAsked = false) {
const answer = await this.gateway.fetch(path).catch(() => null);
const body = await answer?.json().catch(() => null);
if (isAsked) setText(element("problem"), answer?.ok ? "" : body?.detail ?? "The gateway does not answer.");
return answer?.ok ? body : null;
},
async act(method, path, body) {
const { status, problem } = await this.gateway.send(method, path, body);
const isDone = status >= 200 && status < 300;
setText(element("problem"), isDone ? "" : problem?.detail ?? "The gateway does not answer.");
return isDone;
},
confirm(text) {
const dialog = element("confirm");
setText(element("confirm-text"), text);
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
this.#rows = new Rows(element("groups"), group => this.#row(group));
for (const button of element("groups").tHead.querySelectorAll("button")) {
button.addEventListener("click", () => this.#sort(button));
}
setInterval(() => { if (!this.isPaused && !document.hidden) this.#rows.refresh(); }, 1000);
}
follow(pattern) {
this.#unfollow?.();
this.#states.clear();
this.#rows.replace([], nameOrder);
this.groups = [pattern];
this.#unfollow = desk.gateway.follow(this);
}
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
setText(element("health"), words[connection]);
}
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
setText(element("groups-count"), `Groups that show or hold something: ${this.#rows.size}`
+ (more > 0 ? `, and ${more} more: filter them` : ""));
});
}
#value({ state, received }) { return { ...state, received }; }
#compare = (a, b) => this.#direction * orders[this.#order](a, b);
#sort(button) {
const isSame = this.#order === button.dataset.sort;
this.#direction = isSame ? -this.#direction : 1;
this.#order = button.dataset.sort;
for (const head of element("groups").tHead.querySelectorAll("[aria-sort]")) {
const isChosen = head.contains(button);
head.setAttribute("aria-sort", !isChosen ? "none" : this.#direction > 0 ? "ascending" : "descending");
}
this.#rows.sort(this.#compare);
}
#row(group) {
const open = makeButton(group, "", () => this.#detail.open(group), "link");
const dismiss = makeButton("Dismiss", `Dismiss what ${group} shows`, async () => {
const { id } = this.#states.get(group)?.state.active ?? {};
if (!id || !await desk.confirm(`Dismiss the popup ${id} of ${group}?`)) return;
await desk.act("DELETE", `/v1/popups/${encodeURIComponent(id)}`);
});
const next = makeButton("Next", `Next popup of ${group}`, () => desk.act("POST", `/v1/advance/${group}`));
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
const left = received + active?.remainingMs - performance.now();
setText(cells[2], timeLeft(isNaN(left) ? undefined : left));
setText(cells[3], waiting ?? 0);
setText(cells[4], paused ?? 0);
for (const button of [dismiss, next]) button.disabled = !active;
},
};
}
}
const followNumbers = async () => {
let before = null;
for (;;) {
const now = performance.now();
const stats = document.hidden ? null : await desk.read("/v1/stats");
if (stats) {
const rate = name => !before ? "–"
: Math.round((Number(stats[name] ?? 0) - Number(before.stats[name] ?? 0)) * 1000 / (now - before.now));
const uptime = Math.floor(Number(stats.uptimeMs ?? 0) / 1000);
const numbers = {
Broker: stats.version ?? "", Up: `${Math.floor(uptime / 3600)} h ${Math.floor(uptime / 60) % 60} min`,
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
const list = element("numbers");
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
const form = element("ask");
const fields = () => Object.fromEntries(new FormData(form));
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
const showCurl = () => {
const { group, title, text, priority, seconds } = fields();
const query = new URLSearchParams({ ...(title && { title }), priority, duration: `${seconds}s` });
setText(element("curl"), `curl -H "Authorization: Bearer $TOKEN" -d ${quoted(text)} `
+ quoted(`${location.origin}/v1/show/${group}?${query}`));
};
form.addEventListener("input", showCurl);
form.addEventListener("submit", event => {
event.preventDefault();
const { group, title, text, priority, seconds } = fields();
desk.act("POST", "/v1/popups", {
group, text, priority: Number(priority), durationMs: Number(seconds) * 1000, presentation: { title },
});
});
showCurl();
};
const start = () => {
element("login").hidden = true;
element("work").hidden = element("leave").hidden = false;
const detail = new Detail(desk);
const groups = new Groups(detail);
element("filter").addEventListener("submit", event => {
event.preventDefault();
groups.follow(element("pattern").value.trim());
});
element("pause").addEventListener("change", event => {
groups.isPaused = detail.isPaused = event.target.checked;
groups.draw();
detail.refresh();
});
groups.follow("*");
setUpForm();
followNumbers();
};
const logIn = async token => {
const answer = await new Gateway("", token, "").fetch("/v1/session-cookie", { method: "POST" }).catch(() => null);
setText(element("login-problem"), answer?.ok ? "" : answer ? "The gateway does not know this token."
: "The gateway does not answer.");
if (answer?.ok) start();
return answer?.ok;
};
const begin = async () => {
window.addEventListener("hashchange", () => location.reload());
element("login").addEventListener("submit", event => {
event.preventDefault();
logIn(element("token").value.trim());
});
element("leave").addEventListener("click", async () => {
await desk.act("DELETE", "/v1/session-cookie");
location.reload();
});
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
history.replaceState(null, "", location.pathname);
if (await logIn(token)) return;
} else if ((await desk.gateway.fetch("/v1/stats")).status !== 401) return start();
element("login").hidden = false;
element("token").focus();
};
begin();
"""##,
        "overlay.html": ##"""
<!doctype html>
<html lang="en" data-settings="{{settings}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Popups</title>
<link rel="stylesheet" href="{{overlay.css}}">
<script type="module" src="{{popup.js}}"></script>
<script type="module" src="{{overlay.js}}"></script>
</head>
<body>
<main aria-label="Popups"></main>
<noscript>This page shows popups by a script. Please allow scripts for it.</noscript>
</body>
</html>
"""##,
        "overlay.css": ##"""
/* The page is transparent: what lies below it is seen. */
html, body { margin: 0; height: 100%; background: transparent; color-scheme: normal; }
noscript { font: 16px/1.45 system-ui, sans-serif; }
"""##,
        "dashboard.html": ##"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>PopupBroker</title>
<link rel="stylesheet" href="{{dashboard.css}}">
<script type="module" src="{{dashboard.js}}"></script>
</head>
<body>
<header>
<h1>PopupBroker</h1>
<p id="health" role="status"></p>
<dl id="numbers"></dl>
<button id="leave" type="button" hidden>Leave</button>
</header>
<noscript><p>The dashboard is a script. Please allow scripts for this page.</p></noscript>
<main>
<form id="login" hidden>
<h2>Access token</h2>
<p>The token needs the right watch for the groups that you look at, and query for their queues. It is kept in a cookie that no script can read.</p>
<label>Token <input id="token" type="password" autocomplete="off" required></label>
<button>Open</button>
<p id="login-problem" role="alert"></p>
</form>
<div id="work" hidden>
<section aria-labelledby="groups-title">
<h2 id="groups-title">Groups</h2>
<form id="filter">
<label>Group or pattern <input id="pattern" value="*" required></label>
<button>Filter</button>
<label class="switch"><input id="pause" type="checkbox"> Pause</label>
</form>
<div class="scroll" tabindex="0" role="region" aria-labelledby="groups-title">
<table id="groups">
<caption id="groups-count"></caption>
<thead><tr>
<th scope="col" aria-sort="ascending"><button type="button" data-sort="group">Group</button></th>
<th scope="col">Shows</th>
<th scope="col">Left</th>
<th scope="col" aria-sort="none"><button type="button" data-sort="waiting">Waiting</button></th>
<th scope="col">Paused</th>
<th scope="col">Actions</th>
</tr></thead>
<tbody></tbody>
</table>
</div>
</section>
<section id="detail" aria-labelledby="detail-title" hidden>
<h2 id="detail-title" tabindex="-1"></h2>
<p><button type="button" id="hold">Hold</button> <button type="button" id="resume">Resume</button>
<button type="button" id="close">Close</button></p>
<div class="scroll" tabindex="0" role="region" aria-label="Queue">
<table id="queue">
<caption id="queue-count"></caption>
<thead><tr><th scope="col">Popup</th><th scope="col">Phase</th><th scope="col">Priority</th><th scope="col">Left</th>
<th scope="col">Actions</th></tr></thead>
<tbody></tbody>
</table>
</div>
<section id="why" aria-labelledby="why-title" hidden>
<h3 id="why-title" tabindex="-1"></h3>
<p id="why-text"></p>
<ul id="why-rules"></ul>
</section>
<h3>Events</h3>
<ol id="events" role="log" aria-live="off" aria-label="Events" tabindex="0"></ol>
<h3 id="policy-title">Policy in force</h3>
<dl id="policy" aria-labelledby="policy-title"></dl>
</section>
<section aria-labelledby="ask-title">
<h2 id="ask-title">Ask for a popup</h2>
<form id="ask">
<label>Group <input name="group" required></label>
<label>Title <input name="title"></label>
<label>Text <input name="text" required></label>
<label>Priority <input name="priority" type="number" value="0"></label>
<label>Seconds <input name="seconds" type="number" min="1" value="20"></label>
<button>Show</button>
</form>
<p>The same by curl:</p>
<pre id="curl" tabindex="0"></pre>
</section>
</div>
<p id="problem" role="alert"></p>
</main>
<dialog id="confirm" aria-labelledby="confirm-text">
<form method="dialog">
<p id="confirm-text"></p>
<button value="no">No</button> <button value="yes">Yes</button>
</form>
</dialog>
</body>
</html>
"""##,
        "dashboard.css": ##"""
:root { color-scheme: light dark; --back: #f6f7f9; --sheet: #fff; --text: #1a1d21; --soft: #565d66; --line: #d4d8dd; --accent: #3559b5; }
@media (prefers-color-scheme: dark) {
    :root { --back: #14171b; --sheet: #1d2126; --text: #f1f3f5; --soft: #b4bcc6; --line: #3c434c; --accent: #9ab8ff; }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: center; padding: 12px 20px; background: var(--sheet); border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.25rem; }
h2 { margin: 0 0 8px; font-size: 1.125rem; }
h3 { margin: 20px 0 4px; font-size: 1rem; }
#health { margin: 0; font-weight: 600; }
dl { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 0; }
dl div { display: flex; gap: 6px; }
dt { color: var(--soft); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
#leave { margin-inline-start: auto; }
main { padding: 20px; display: grid; gap: 20px; max-width: 1400px; margin: auto; }
#work { display: grid; gap: 20px; min-width: 0; }
#work > section, #login { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; padding: 16px 20px; min-width: 0; }
form { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; }
#login { display: grid; justify-items: start; }
label { display: grid; font-size: .875rem; color: var(--soft); }
.switch { display: flex; gap: 6px; align-items: center; min-height: 40px; }
input { font: inherit; padding: 7px 10px; min-width: 0; max-width: 100%; border: 1px solid var(--soft); border-radius: 6px; background: var(--sheet); color: var(--text); }
button { font: inherit; min-height: 32px; padding: 4px 12px; border: 1px solid var(--soft); border-radius: 6px; background: var(--sheet); color: var(--text); cursor: pointer; }
form button { min-height: 40px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.scroll { overflow-x: auto; margin-top: 8px; }
table { border-collapse: collapse; width: 100%; min-width: 640px; }
caption { text-align: start; color: var(--soft); padding-bottom: 4px; }
th, td { text-align: start; padding: 6px 10px; border-bottom: 1px solid var(--line); vertical-align: middle; }
th button { border: 0; background: none; padding: 0; font-weight: 700; }
th[aria-sort=ascending] button::after { content: " ▲"; }
th[aria-sort=descending] button::after { content: " ▼"; }
td.number { font-variant-numeric: tabular-nums; }
td button { margin: 2px 4px 2px 0; }
td button.link, #why button { border: 0; background: none; padding: 0; color: var(--accent); text-decoration: underline; text-align: start; }
[data-style=warning]::before { content: "⚠ "; }
[data-style=error]::before { content: "✕ "; }
[data-style=success]::before { content: "✓ "; }
#why { border-inline-start: 4px solid var(--accent); padding-inline-start: 14px; }
#events { max-height: 16rem; overflow: auto; margin: 0; padding: 0; list-style: none; font-size: .875rem; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; background: var(--back); padding: 10px; border-radius: 6px; margin: 0; }
#problem:empty, #login-problem:empty { display: none; }
#problem, #login-problem { font-weight: 600; }
dialog { border: 1px solid var(--line); border-radius: 10px; background: var(--sheet); color: var(--text); max-width: 28rem; }
"""##,
    ]
}
