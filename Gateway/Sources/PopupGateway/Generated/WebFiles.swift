// Written by Scripts/web_files.py from the files in Gateway/web. Change those, and run it again.
// swift-format-ignore-file

/// The files of the gateway's pages, by name.
enum WebFiles {
    static let texts: [String: String] = [
        "popup.js": ##"""
const lostAfter = 5000;
const hiddenFor = 3000;
const outage = 300_000, soon = 4000;
const answerTime = 40_000;
const tabName = "web-" + [...crypto.getRandomValues(new Uint8Array(8))]
.map(byte => byte.toString(16).padStart(2, "0")).join("");
const sleep = (ms, signal) => new Promise(resolve => {const end = () => {clearTimeout(timer);
signal?.removeEventListener("abort", end);
resolve();
};
const timer = setTimeout(end, ms);
signal?.addEventListener("abort", end);
});
const followSight = (come, leave) => {let isAway = false, timer = 0;
const go = () => {clearTimeout(timer);
if (!isAway) leave();
isAway = true;
};
const look = () => {clearTimeout(timer);
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
async function* lines(body, heard) {const decoder = new TextDecoder();
let text = "";
for (const reader = body.getReader(); ;) {const { done, value } = await reader.read();
if (done) return;
heard();
const lines = (text + decoder.decode(value, { stream: true })).split("\n");
text = lines.pop();
for (const line of lines) if (line) yield JSON.parse(line);
}
}
const isNewer = (state, other) => {const [epoch, otherEpoch] = [BigInt(state.epoch), BigInt(other.epoch)];
return epoch > otherEpoch || epoch === otherEpoch && BigInt(state.revision ?? 0) > BigInt(other.revision ?? 0);
};
const matches = (pattern, group) => pattern === "*" || pattern === group
|| pattern.endsWith("/*") && group.startsWith(pattern.slice(0, -1));
class Feed {static #feeds = new Map();
static of(gateway) {const key = JSON.stringify([gateway.source, gateway.token, gateway.client]);
if (!Feed.#feeds.has(key)) Feed.#feeds.set(key, new Feed(gateway));
return Feed.#feeds.get(key);
}
#gateway;
#listeners = new Set();
#states = new Map();
#groups = "";
#stream = null;
#isSynced = false;
#hasBroker = false;
#isAway = false;
#connection = "connecting";
#why = "";
#lostTimer = 0;
#heardAt = 0;
#channel = null;
constructor(gateway) {this.#gateway = gateway;
const reopen = wasAway => {this.#isAway = false;
const isSilent = performance.now() - this.#heardAt > this.#gateway.silence;
if (this.#stream && this.#connection !== "denied" && (wasAway || !this.#isSynced || isSilent)) this.#open();
};
followSight(reopen, () => {this.#isAway = true;
this.#isSynced = false;
this.#channel = null;
if (this.#connection !== "denied") this.#setConnection("connecting");
this.#stream?.abort();
});
window.addEventListener("online", () => { if (!this.#isAway) reopen(false); });
}
follow(listener) {this.#listeners.add(listener);
this.#tell(() => listener.setConnection(this.#connection, this.#why), [listener]);
for (const state of this.#states.values()) this.#tell(() => listener.show(state), [listener]);
queueMicrotask(() => this.#follow());
return () => {this.#listeners.delete(listener);
queueMicrotask(() => this.#follow());
};
}
#follow() {const groups = [...new Set([...this.#listeners].flatMap(listener => listener.groups))].sort().join(" ");
if (groups === this.#groups) return;
this.#groups = groups;
const patterns = groups.split(" ");
for (const group of [...this.#states.keys()]) {if (!patterns.some(pattern => matches(pattern, group))) this.#states.delete(group);
}
this.#open();
}
#open() {this.#stream?.abort();
this.#stream = null;
if (!this.#groups) return this.#setConnection("connecting");
this.#stream = new AbortController();
if (this.#isAway) return;
const { signal } = this.#stream;
if (this.#gateway.client || !navigator.locks || !window.BroadcastChannel) this.#run(signal);
else this.#share(signal).catch(() => { if (!signal.aborted) this.#run(signal); });
}
async #share(signal) {const { source, token } = this.#gateway;
const name = `popups ${source} ${token} ${this.#groups}`;
const channel = new BroadcastChannel(name);
let leads = false;
signal.addEventListener("abort", () => channel.close(), { once: true });
channel.onmessage = ({ data }) => {if (leads && data.asks) this.#publishAll();
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
await navigator.locks.request(name, { signal }, async () => {leads = true;
this.#channel = channel;
await this.#run(signal);
this.#channel = null;
});
}
#publishAll() {this.#publish([...this.#states.values()], this.#isSynced);
}
#publish(entries = [], isWhole = false) {this.#channel?.postMessage({isWhole,states: entries.map(({ state, received }) => ({ state, age: performance.now() - received })),connection: this.#connection,});
}
async #run(signal) {let failures = 0, lostAt = performance.now();
while (!signal.aborted) {this.#isSynced = false;
this.#loseLater();
const opened = performance.now();
const end = await this.#read(signal).catch(() => ({}));
if (signal.aborted) return;
if (end.why !== undefined) return this.#setConnection("denied", end.why);
const now = performance.now();
if (this.#isSynced) lostAt = now;
failures = this.#isSynced && now - opened > 1000 ? 0 : failures + 1;
const most = now - lostAt < outage ? soon : 30_000;
await sleep(end.wait ?? Math.random() * Math.min(most, 500 * 2 ** Math.min(failures, 10)), signal);
}
}
async #read(signal) {const query = new URLSearchParams(this.#groups.split(" ").map(group => ["group", group]));
const { client } = this.#gateway, present = new Set();
if (client) {query.set("client", client);
query.set("tab", tabName);
}
let retry, isBusy = false;
const { status, problem } = await this.#gateway.listen(`/v1/stream?${query}`, signal, item => {retry = item.event === "busy" ? item.retryAfterMs : item.event === "retry" ? item.retryMs : undefined;
isBusy ||= item.event === "busy";
this.#hear(item, present);
}, () => { this.#heardAt = performance.now(); });
if (status === 401) return { why: "" };
if ([400, 403, 404].includes(status) && problem?.reason) return { why: problem.detail };
if (!retry) return {};
return { wait: isBusy ? retry * (0.75 + Math.random() / 2) : Math.min(retry, soon) * (0.5 + Math.random() / 2) };
}
#hear(item, present) {switch (item.event) {case "hello":
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
#emptyAllBut(present) {for (const [group, { state }] of this.#states) {if (present.has(group)) continue;
this.#take({ ...state, active: undefined, offered: false }, 0);
this.#states.delete(group);
}
}
#take(state, age) {const last = this.#states.get(state.group)?.state;
if (last && isNewer(last, state)) return;
const entry = { state, received: performance.now() - age };
this.#states.set(state.group, entry);
this.#publish([entry]);
this.#tell(listener => listener.show(entry));
}
#loseLater() {this.#lostTimer ||= setTimeout(() => this.#setConnection("lost"), lostAfter);
}
#setConnection(connection, why = "") {clearTimeout(this.#lostTimer);
this.#lostTimer = 0;
if (connection === this.#connection && why === this.#why) return;
this.#connection = connection;
this.#why = why;
this.#publish();
this.#tell(listener => listener.setConnection(connection, why));
}
#tell(call, listeners = [...this.#listeners]) {for (const listener of listeners) {try {call(listener);
} catch (error) {console.error(error);
}
}
}
}
class Gateway {silence = 35_000;
constructor(source, token, client) {this.source = source;
this.token = token;
this.client = client;
}
follow(listener) {return Feed.of(this).follow(listener);
}
fetch(path, options = {}) {const isOwn = new URL(this.source, document.baseURI).origin === origin;
const right = this.token ? { Authorization: `Bearer ${this.token}` } : isOwn ? { "X-Popup": "1" } : {};
const headers = { ...right, ...options.headers };
return fetch(this.source + path, { ...options, headers, redirect: "error", referrerPolicy: "no-referrer" });
}
async listen(path, signal, hear, heard = () => {}) {const attempt = new AbortController(), abort = () => attempt.abort();
signal.addEventListener("abort", abort, { once: true });
let watchdog = 0;
const watch = () => {clearTimeout(watchdog);
watchdog = setTimeout(abort, this.silence);
};
watch();
try {const answer = await this.fetch(path, {headers: { Accept: "application/x-ndjson" }, signal: attempt.signal, cache: "no-store",});
const { status } = answer;
if (!answer.ok) return { status, problem: await answer.json().catch(() => null) };
if (!answer.headers.get("Content-Type")?.startsWith("application/x-ndjson")) return { status };
for await (const item of lines(answer.body, () => { heard(); watch(); })) {if (signal.aborted) break;
if (item.heartbeatMs) {this.silence = 2 * item.heartbeatMs + 5000;
watch();
}
hear(item);
}
return { status };
} finally {clearTimeout(watchdog);
signal.removeEventListener("abort", abort);
attempt.abort();
}
}
async send(method, path, body) {try {const answer = await this.fetch(path, {method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" },signal: AbortSignal.timeout(answerTime),});
const content = await answer.json().catch(() => null);
return { status: answer.status, ...(answer.ok ? { result: content } : { problem: content }) };
} catch {return { status: 0 };
}
}
async settle(method, path, body, isWanted) {let isUnknown = false;
for (let attempt = 0; ; attempt++) {const { status, problem } = await this.send(method, path, body);
if (status >= 200 && status < 300 || isUnknown && (status === 404 || status === 409)) return { isDone: true };
if (status && ![429, 500, 502, 503, 504].includes(status)) return { isDone: false, status, problem };
isUnknown ||= status === 0 || status === 504;
await sleep(Math.random() * Math.min(8000, 500 * 2 ** attempt));
if (!isWanted()) return { isDone: false, status, problem };
}
}
}
class Modals {static #boxes = [];
static #open = null;
static add(box) {Modals.#boxes.push(box);
queueMicrotask(Modals.#choose);
}
static remove(box) {const place = Modals.#boxes.indexOf(box);
if (place < 0) return;
Modals.#boxes.splice(place, 1);
if (Modals.#open === box) Modals.#open = null;
queueMicrotask(Modals.#choose);
}
static #choose = () => {const first = Modals.#boxes.reduce((best, box) => !best || box.priority > best.priority ? box : best, null);
for (const box of Modals.#boxes) if (box !== first) box.close();
Modals.#open = first;
first?.open();
};
}
class Shield {static #areas = [];
static #listens = false;
static cover(area) {const until = performance.now() + 300;
Shield.#areas = [...Shield.#areas.filter(other => other.until > performance.now()), { area, until }];
if (Shield.#listens) return;
Shield.#listens = true;
for (const name of ["pointerdown", "pointerup", "mousedown", "mouseup", "click"]) {window.addEventListener(name, Shield.#swallow, { capture: true });
}
}
static #swallow = event => {const isCovered = Shield.#areas.some(({ area, until }) => until > performance.now()
&& event.clientX >= area.left && event.clientX < area.right
&& event.clientY >= area.top && event.clientY < area.bottom);
if (!isCovered || event.detail === 0 && event.type === "click") return;
event.preventDefault();
event.stopImmediatePropagation();
};
}
const guard = 400;
const staleAfter = 12_000;
const signs = {info: ["ℹ", "Information"], success: ["✓", "Success"], warning: ["⚠", "Warning"], error: ["✕", "Error"],};
const places = { TOP_BAR: "top", BOTTOM_SHEET: "bottom", CENTER: "center", FULL_SCREEN: "full" };
const changed = "Your answer did not count: the popup has changed.";
let lastNumber = 0;
const make = (name, part, parent) => {const element = document.createElement(name);
if (part) element.part = element.className = part;
parent?.append(element);
return element;
};
const dims = popup => popup.presentation?.backdrop === true;
const versionOf = (epoch, popup) => `${epoch}:${popup.sinceRevision}`;
const placeOf = popup => places[popup.presentation?.scene] ?? (dims(popup) ? "center" : "corner");
const isModal = (popup, screen) => dims(popup) && screen.isRenderer
&& (popup.actions?.length > 0 || popup.presentation.dismissOnOutside === true);
class Box {#screen;
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
#report;
#image = null;
#isOpen = false;
#isReleased = false;
#isStale = false;
constructor(screen, entry, wasHidden) {this.#screen = screen;
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
get isReachable() {return this.hasActions || this.#screen.isRenderer && this.#popup.presentation?.dismissOnOutside
|| this.#root.scrollHeight > this.#root.clientHeight || this.#root.parentNode.childElementCount > 5;
}
get place() { return this.#isReleased ? "corner" : placeOf(this.#popup); }
get isReportedHidden() { return this.#report === "hidden"; }
fits({ epoch, active: popup }) {return popup.id === this.#popup.id && (versionOf(epoch, popup) === this.#version
|| isModal(popup, this.#screen) === this.isModal && placeOf(popup) === this.place);
}
show({ state, received }) {const popup = state.active;
const version = versionOf(state.epoch, popup);
this.#popup = popup;
const remaining = popup.remainingMs;
this.#deadline = remaining === undefined ? null : received + remaining;
if (version !== this.#version) {const isUpdate = this.#version !== "";
this.#version = version;
this.#isSending = this.#isAnswered = false;
this.#total = Math.max(popup.durationMs ?? 0, remaining ?? 0);
this.#takesFrom = performance.now() + guard;
this.#fill();
if (isUpdate) this.reportAgain();
}
this.seed();
}
open() {if (this.#isOpen) return;
this.#isOpen = true;
this.#takesFrom = performance.now() + guard;
this.#root.hidden = false;
if (this.isModal) {this.#root.showModal();
this.#root.focus({ preventScroll: true });
}
this.announce();
this.reportVisibility();
}
close() {this.#isOpen = false;
this.#root.hidden = true;
if (this.isModal && this.#root.open) this.#root.close();
this.reportVisibility();
}
#release() {if (!this.isModal) return;
this.#cover();
Modals.remove(this);
this.#root.close();
this.#setModal(false);
this.#root.open = true;
this.open();
}
#setModal(isModal) {this.isModal = isModal;
this.#isReleased = !isModal;
this.#root.setAttribute("role", isModal ? "alertdialog" : "dialog");
this.#setNoteRole();
this.#root.dataset.place = this.place;
this.#screen.put(this);
}
#setNoteRole() {this.#parts.note.setAttribute("role", this.isModal ? "alert" : "note");
}
#giveWay() {this.#isStale = true;
if (this.#isOpen) this.#release();
else Modals.remove(this);
}
#comeBack() {this.#isStale = false;
if (this.#isAnswered || !isModal(this.#popup, this.#screen)) return;
if (!this.isModal) {if (this.#hasFocus) this.#screen.restoreFocus();
this.#root.close();
this.#isOpen = false;
this.#setModal(true);
}
Modals.add(this);
}
#cover() {if (!this.#isOpen) return;
Shield.cover(this.isModal ? new DOMRect(0, 0, innerWidth, innerHeight) : this.#root.getBoundingClientRect());
}
get #hasFocus() { return this.#root.contains(this.#root.getRootNode().activeElement); }
remove() {clearTimeout(this.#timer);
this.#drawing?.cancel();
this.#cover();
Modals.remove(this);
const hadFocus = this.#hasFocus;
if (this.isModal && this.#root.open) this.#root.close();
if (this.#image) URL.revokeObjectURL(this.#image);
this.#root.remove();
if (hadFocus && !this.isModal) this.#screen.restoreFocus();
}
#build() {const root = this.#root = make(this.isModal ? "dialog" : "section", "box");
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
root.addEventListener("keydown", event => {if (event.key === "Tab" && this.isModal) this.#keepFocus(event);
if (event.key !== "Escape") return;
event.preventDefault();
event.stopPropagation();
this.actOutside();
});
root.addEventListener("cancel", event => event.preventDefault());
root.addEventListener("pointerdown", event => {if (!this.isModal || event.target !== root) return;
const area = root.getBoundingClientRect();
const isInside = event.clientX >= area.left && event.clientX < area.right
&& event.clientY >= area.top && event.clientY < area.bottom;
if (!isInside) this.actOutside();
});
}
#keepFocus(event) {const buttons = [...this.#root.querySelectorAll("button:enabled:not([hidden])")];
const [end, start] = event.shiftKey ? [buttons[0], buttons.at(-1)] : [buttons.at(-1), buttons[0]];
const focused = this.#root.getRootNode().activeElement;
if (focused !== end && !(event.shiftKey && focused === this.#root) && buttons.length) return;
event.preventDefault();
(start ?? this.#root).focus({ preventScroll: true });
}
#fill() {const popup = this.#popup, presentation = popup.presentation ?? {}, parts = this.#parts, root = this.#root;
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
#fillIcon(icon) {let url = null;
try {url = new URL(icon);
} catch {}
const isShown = /^https?:$/.test(url?.protocol) && this.#screen.imageHosts.includes(url.host);
this.#parts.icon.hidden = !isShown;
if (isShown) this.#parts.icon.src = url.href;
this.#root.dataset.icon = icon;
}
#fillContent() {const { text, data, contentType = "text/plain" } = this.#popup, { text: part, image } = this.#parts;
if (this.#image) URL.revokeObjectURL(this.#image);
this.#image = null;
const bytes = data && Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
if (/^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/.test(contentType) && data) {image.src = this.#image = URL.createObjectURL(new Blob([bytes], { type: contentType }));
image.alt = this.#popup.presentation?.title ?? "An image without a description";
}
image.hidden = !this.#image;
part.textContent = this.#image ? "" : text ?? (!data ? ""
: /^text\/plain\b/.test(contentType) ? new TextDecoder().decode(bytes)
: `This content (${contentType}) cannot be shown here.`);
part.hidden = !part.textContent;
}
#fillActions() {const actions = this.hasActions && !this.#isAnswered ? this.#popup.actions : [];
const hadFocus = this.#parts.actions.contains(this.#root.getRootNode().activeElement);
this.#root.toggleAttribute("data-actions", actions.length > 0);
this.#parts.actions.replaceChildren(...actions.map(({ id, label }) => {const button = make("button", "action");
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
setNote(text, isUrgent) {this.#parts.note.textContent = text;
this.#parts.note.hidden = !text;
if (isUrgent !== undefined && !this.isModal) this.#screen.announce(this.#popup, text, isUrgent);
}
announce() {const { presentation = {}, actions = [] } = this.#popup;
const parts = [presentation.title, this.#parts.text.textContent || this.#parts.image.alt].filter(Boolean);
if (this.hasActions) {parts.push(actions.length === 1 ? "1 action" : `${actions.length} actions`);
}
if (!this.isModal && this.isReachable) parts.push("press F6 to reach it");
this.#screen.announce(this.#popup, parts.join(". "), presentation.style === "warning" || presentation.style === "error");
}
seed() {clearTimeout(this.#timer);
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
#tick() {const left = this.#deadline - performance.now();
const seconds = Math.ceil(left / 1000);
this.#parts.time.textContent = left <= 0 ? ""
: seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
this.#offerMoreTime(left);
if (left > 0) this.#timer = setTimeout(() => this.#tick(), left - (seconds - 1) * 1000);
else if (left > -staleAfter) this.#timer = setTimeout(() => this.#tick(), staleAfter + left);
else if (this.#screen.connection !== "open") this.#timer = setTimeout(() => this.#screen.forget(this));
}
#offerMoreTime(left) {const isOffered = this.hasActions && this.#screen.offersMoreTime && left > 0 && !this.#isAnswered
&& left <= Math.max(20_000, this.#total / 2);
this.#parts.more.hidden = !isOffered;
}
async #extend() {if (!this.#takes) return;
const popup = this.#popup;
this.#parts.more.disabled = true;
const { isDone, status } = await this.#screen.send("PATCH", popup, "", { restartTimer: true });
if (popup.id !== this.#popup.id) return;
this.#parts.more.disabled = false;
if (!isDone) {this.setNote("More time was not given.", true);
if (status === 403) this.#screen.offersMoreTime = false;
}
}
get #takes() {return this.#isOpen && !this.#isSending && !this.#isAnswered && performance.now() >= this.#takesFrom
&& this.#screen.isRenderer && this.#screen.connection === "open";
}
actOutside() {if (this.#popup.presentation?.dismissOnOutside) this.#act("outside");
}
async #act(action) {if (!this.#takes) return;
const popup = this.#popup;
const isSame = () => this.#popup.id === popup.id && this.#popup.sinceRevision === popup.sinceRevision
&& this.#root.isConnected;
this.#isSending = true;
this.setConnection(this.#screen.connection);
const outcome = await this.#screen.send("POST", popup, "/dismiss", {action, revision: popup.sinceRevision, client: this.#screen.client,}, isSame);
this.#screen.dispatch("popup-action", { id: popup.id, group: popup.group, action, isDone: outcome.isDone });
const isStale = outcome.status === 409 || outcome.status === 404;
if (!this.#root.isConnected) return isStale && action !== "outside" && this.#screen.tellChange(popup, changed);
this.#isSending = false;
if (outcome.isDone && isSame()) {this.#isAnswered = true;
this.#fillActions();
const waits = popup.quorum > 1 || popup.quorumAll;
if (waits) this.#release();
this.setNote(waits ? "Answered. Waiting for others." : "Answered.", waits ? false : undefined);
} else if (!outcome.isDone) {this.setNote(isStale ? changed
: outcome.problem?.detail ?? "The answer was not sent.", true);
}
this.setConnection(this.#screen.connection);
}
setConnection(connection) {const { actions } = this.#parts, isOff = this.#isSending || connection !== "open";
const hadFocus = isOff && actions.contains(this.#root.getRootNode().activeElement);
for (const button of actions.children) button.disabled = isOff;
if (hadFocus) this.#root.focus({ preventScroll: true });
if (this.#isAnswered && connection !== "open") this.#release();
if (this.isModal && connection === "lost") this.#giveWay();
if (this.#isStale && connection === "open") this.#comeBack();
if (connection === "lost") this.seed();
}
reportVisibility() {const report = this.#isOpen && !document.hidden ? "visible" : "hidden";
if (!this.#screen.isRenderer || report === this.#report) return;
this.#report = report;
this.#screen.report(this.#popup, report);
}
reportAgain() {this.#report = "visible";
this.reportVisibility();
}
}
const dark = `--popup-back:#1d2126;--popup-text:#f1f3f5;--popup-soft:#b4bcc6;--popup-line:#3c434c;--popup-accent:#8fb0ff;--popup-on-accent:#10151c;--popup-focus:#a8c7ff;--popup-success:#62d394;--popup-warning:#ffc35c;--popup-error:#ff9d94;`;
const styles = `:host{--popup-back:#fff;--popup-text:#1a1d21;--popup-soft:#565d66;--popup-line:#d4d8dd;--popup-shade:#0008;--popup-accent:#3559b5;--popup-on-accent:#fff;--popup-focus:#0b57d0;--popup-radius:12px;--popup-success:#1a7f45;--popup-warning:#8f5a00;--popup-error:#b3261e;--popup-font:16px/1.45 system-ui,sans-serif;--popup-width:26rem}@media (prefers-color-scheme:dark){:host(:not([theme=light])){${dark}}}:host([theme=dark]){${dark}}:host{display:contents;font:var(--popup-font);color:var(--popup-text)}*{box-sizing:border-box}[hidden]{display:none !important}.live{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}.place{position:fixed;z-index:2147483000;pointer-events:none;display:flex;flex-direction:column;gap:12px;max-height:100vh;max-width:100vw}#place-top{inset:0 0 auto 0;gap:1px}#place-bottom{inset:auto 0 0 0;align-items:center}#place-center{inset:0;align-items:center;justify-content:center;padding:16px}#place-full{inset:0;gap:0}#place-corner{z-index:2147483001;inset:auto 16px 16px auto;width:min(var(--popup-width),100vw - 32px);max-height:calc(100vh - 32px)}:host([corner=top-right]) #place-corner{inset:16px 16px auto auto}:host([corner=top-left]) #place-corner{inset:16px auto auto 16px}:host([corner=bottom-left]) #place-corner{inset:auto auto 16px 16px}.box{pointer-events:auto;position:relative;overflow:auto;margin:0;padding:16px 20px;width:100%;max-width:100vw;max-height:100vh;color:var(--popup-text);background:var(--popup-back);border:1px solid var(--popup-line);border-inline-start:6px solid var(--popup-accent);border-radius:var(--popup-radius);box-shadow:0 8px 32px #0004;overflow-wrap:anywhere}.place:has(> :nth-child(6)){overflow-y:auto}.place:has(> :nth-child(6)) .box{flex:none}.box[data-style=success]{--popup-accent:var(--popup-success)}.box[data-style=warning]{--popup-accent:var(--popup-warning)}.box[data-style=error]{--popup-accent:var(--popup-error)}.box[data-place=top]{border-radius:0;border-width:0 0 1px;border-inline-start-width:6px}.box[data-place=bottom]{max-width:40rem;border-end-start-radius:0;border-end-end-radius:0;border-bottom-width:0}.box[data-place=center]{max-width:var(--popup-width)}.box[data-place=full]{flex:1;border-radius:0;border-width:0;display:flex;flex-direction:column;justify-content:safe center;align-items:center;text-align:center;font-size:1.5em}dialog.box[data-place=top]{margin:0 auto auto}dialog.box[data-place=bottom]{margin:auto auto 0}dialog.box[data-place=center]{margin:auto;width:min(var(--popup-width),100vw - 32px)}dialog.box[data-place=full]{height:100vh}dialog.box:not([open]){display:none}dialog.box::backdrop{background:var(--popup-shade,#0008)}.box[data-dims]{box-shadow:0 0 0 200vmax var(--popup-shade)}.head{display:flex;gap:10px;align-items:center}.sign{flex:none;width:1.5em;height:1.5em;border-radius:50%;display:grid;place-items:center;font-weight:700;line-height:1;background:var(--popup-accent);color:var(--popup-on-accent)}.icon{width:32px;height:32px;object-fit:contain}.title{margin:0;font-size:1.125em;line-height:1.3}.text{white-space:pre-line}.title:not([hidden]){margin-block-end:2px}.image{display:block;max-width:100%;max-height:60vh;margin-block-start:8px}.note{margin:8px 0 0;color:var(--popup-soft)}.foot{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between}.time{color:var(--popup-soft);font-variant-numeric:tabular-nums;margin-block-start:8px}.actions{display:flex;flex-wrap:wrap;gap:8px;margin-inline-start:auto}[data-actions] .actions{margin-block-start:12px}button{min-width:44px;min-height:44px;padding:6px 18px;font:inherit;font-weight:600;cursor:pointer;border:2px solid var(--popup-accent);border-radius:8px;background:var(--popup-accent);color:var(--popup-on-accent);overflow-wrap:anywhere}button ~ button{background:transparent;color:var(--popup-text)}button:disabled{opacity:.55;cursor:default}:focus-visible{outline:3px solid var(--popup-focus);outline-offset:2px}.box:focus:not(:focus-visible){outline:none}.bar{position:absolute;inset:auto 0 0 0;height:4px;overflow:hidden}.bar i{display:block;height:100%;background:var(--popup-accent);transform-origin:left}:host(:dir(rtl)) .bar i{transform-origin:right}:host([data-connection=lost]) .box{border-style:dashed}.lost{position:fixed;inset:auto auto 8px 8px;padding:4px 10px;border-radius:8px;font-size:.8125em;background:var(--popup-back);color:var(--popup-soft);border:1px solid var(--popup-line)}@media (prefers-reduced-motion:no-preference){.box[data-animation=fade]{animation:fade .2s}.box[data-animation=slide]{animation:slide .25s}.box[data-animation=zoom]{animation:zoom .2s}}@media (prefers-reduced-motion:reduce){.bar{display:none}}@keyframes fade{from{opacity:0}}@keyframes slide{from{opacity:0;transform:translateY(24px)}}@keyframes zoom{from{opacity:0;transform:scale(.92)}}@media (forced-colors:active){.box,button{border-color:CanvasText}.bar i{background:Highlight;forced-color-adjust:none}}`;
const source = /^https?:/.test(import.meta.url) ? new URL(import.meta.url).origin : "";
class PopupScreen extends HTMLElement {static observedAttributes = ["group", "src", "token", "mode", "client"];
#root = this.attachShadow({ mode: "open" });
#boxes = new Map();
#offers = new Map();
#gateway = null;
#unfollow = null;
#announced = new Map();
#said = new Map();
#focusBefore = null;
#reports = Promise.resolve();
#page = new AbortController();
#isPending = false;
connection = "connecting";
offersMoreTime = false;
constructor() {super();
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
this.#root.adoptedStyleSheets = [sheet];
for (const [name, live] of [["polite", "polite"], ["assertive", "assertive"]]) {const region = document.createElement("div");
Object.assign(region, { className: "live", id: name });
region.setAttribute("aria-live", live);
region.setAttribute("aria-atomic", "true");
this.#root.append(region);
}
for (const place of ["top", "corner", "center", "bottom", "full"]) {const element = document.createElement("div");
Object.assign(element, { className: "place", id: `place-${place}` });
element.part = `place-${place}`;
this.#root.append(element);
}
const lost = document.createElement("div");
Object.assign(lost, { className: "lost", id: "lost", hidden: true });
lost.part = "lost";
this.#root.append(lost);
}
connectedCallback() {const { signal } = this.#page = new AbortController();
const seed = () => { for (const box of this.#boxes.values()) box.seed(); };
const see = () => {seed();
for (const box of this.#boxes.values()) box.reportVisibility();
if (this.connection === "open") for (const state of this.#offers.values()) this.#offer(state);
};
document.addEventListener("visibilitychange", see, { signal });
for (const name of ["pageshow", "online", "obsSourceVisibleChanged"]) {window.addEventListener(name, seed, { signal });
}
window.addEventListener("keydown", event => this.#onKey(event), { signal });
window.addEventListener("pointerdown", event => this.#onPointer(event), { signal, capture: true });
this.#follow();
}
disconnectedCallback() {this.#page.abort();
this.#unfollow?.();
this.#unfollow = null;
this.#dropAll();
}
attributeChangedCallback() {if (!this.isConnected || this.#isPending) return;
this.#isPending = true;
queueMicrotask(() => {this.#isPending = false;
if (this.isConnected) this.#follow();
});
}
get groups() { return (this.getAttribute("group") ?? "").split(/[\s,]+/).filter(Boolean); }
get isRenderer() { return this.getAttribute("mode") === "render"; }
get client() { return this.getAttribute("client") || tabName; }
get imageHosts() { return (this.getAttribute("image-hosts") ?? "").split(/\s+/).filter(Boolean); }
#follow() {this.#unfollow?.();
this.#dropAll();
this.#offers.clear();
this.offersMoreTime = this.hasAttribute("extend") && this.getAttribute("extend") !== "0";
this.#gateway = new Gateway((this.getAttribute("src") || source).replace(/\/$/, ""), this.getAttribute("token") ?? "",this.isRenderer ? this.client : "");
this.#unfollow = this.groups.length ? this.#gateway.follow(this) : null;
}
show(entry) {const { state } = entry;
if (!this.#shows(state.group)) return;
if (state.offered) this.#offer(state);
else this.#offers.delete(state.group);
const popup = state.offered ? undefined : state.active;
const box = this.#boxes.get(state.group);
if (box && popup && box.fits(state)) return box.show(entry);
if (box) this.#drop(state.group);
if (!popup) return this.#announced.delete(state.group);
const isSame = box?.id === popup.id;
this.#add(state.group, new Box(this, entry, isSame && box.isReportedHidden));
if (!isSame) this.dispatch("popup-shown", { id: popup.id, group: state.group, popup });
}
setConnection(connection, why) {const before = this.connection;
this.connection = this.dataset.connection = connection;
if (connection === "denied") this.#dropAll();
for (const box of this.#boxes.values()) box.setConnection(connection);
const words = {lost: "The connection is lost. What you see may be old.",denied: why ? `The gateway refuses this screen: ${why}` : "The gateway refuses this screen's token.",};
const lost = this.#root.getElementById("lost"), text = words[connection] ?? "";
lost.textContent = text;
lost.hidden = !text;
if (!text) this.#announced.delete();
else if (before !== connection) this.announce({}, text);
this.dispatch("popup-connection", { connection });
}
sync() {queueMicrotask(() => { for (const box of this.#boxes.values()) box.reportAgain(); });
}
#shows(group) {return this.groups.some(pattern => matches(pattern, group));
}
#add(group, box) {this.#boxes.set(group, box);
this.put(box);
if (!box.isModal) box.open();
else if (this.connection !== "lost") Modals.add(box);
}
#drop(group) {const box = this.#boxes.get(group);
if (!box) return;
this.#boxes.delete(group);
box.remove();
this.dispatch("popup-closed", { id: box.id, group });
}
#dropAll() {for (const group of [...this.#boxes.keys()]) this.#drop(group);
}
forget(box) {for (const [group, other] of this.#boxes) if (other === box) this.#drop(group);
}
#offer(state) {if (!this.isRenderer) return;
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
put(box) {this.#root.getElementById(`place-${box.place}`).append(box.root);
}
send(method, popup, verb, body, isWanted = () => this.isConnected) {const path = `/v1/popups/${encodeURIComponent(popup.id)}${verb}`;
return this.#gateway.settle(method, path, { ...body, group: popup.group }, isWanted);
}
report(popup, word) {const gateway = this.#gateway, body = { client: this.client, [word]: {}, group: popup.group };
this.#reports = this.#reports.then(() => gateway.send("POST", `/v1/popups/${encodeURIComponent(popup.id)}/report?tab=${tabName}`, body));
}
announce({ group, id }, text, isUrgent) {if (this.#announced.get(group) === id + text) return;
this.#announced.set(group, id + text);
const region = this.#root.getElementById(isUrgent ? "assertive" : "polite");
if (!this.#said.has(region)) {this.#said.set(region, new Map());
setTimeout(() => {region.textContent = [...this.#said.get(region).values()].join(". ");
this.#said.delete(region);
}, 100);
}
this.#said.get(region).set(group, text);
}
tellChange(popup, text) {const box = this.#boxes.get(popup.group);
if (box) box.setNote(text, true);
else this.announce(popup, text, true);
}
dispatch(name, detail) {this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
}
#onKey(event) {if (event.key !== "F6" || event.defaultPrevented) return;
const boxes = [...this.#boxes.values()].filter(box => box.isReachable && !box.isModal).map(box => box.root);
if (!boxes.length) return;
event.preventDefault();
const next = boxes.findIndex(root => root.contains(this.#root.activeElement)) + 1;
if (next === 0) this.#focusBefore = document.activeElement;
if (next < boxes.length) boxes[next].focus();
else this.restoreFocus();
}
restoreFocus() {const before = this.#focusBefore;
this.#focusBefore = null;
this.#root.activeElement?.blur();
if (before?.isConnected) before.focus({ preventScroll: true });
}
#onPointer(event) {const path = event.composedPath();
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
try {if (path) groups.push(decodeURIComponent(path[1]));
} catch {}
const settings = JSON.parse(page.dataset.settings || "{}");
for (const name of ["theme", "mode", "client", "corner", "offer", "extend"]) {if (query.has(name)) settings[name] = query.get(name);
}
const loadSheet = (href, failures = 0) => {const sheet = document.createElement("link");
Object.assign(sheet, { rel: "stylesheet", href });
sheet.addEventListener("error", () => {sheet.remove();
const most = Math.min(30_000, 2000 * 2 ** failures);
setTimeout(() => loadSheet(href, failures + 1), most * (0.5 + Math.random() / 2));
});
document.head.append(sheet);
};
if (settings.theme && !["light", "dark"].includes(settings.theme)) {const source = (settings.src ?? "").replace(/\/$/, "");
loadSheet(`${source}/themes/${encodeURIComponent(settings.theme)}.css`);
}
if (groups.length) settings.group = groups.join(" ");
if (secret.has("token")) settings.token = secret.get("token");
for (const name of ["group", "src", "token", "theme", "mode", "client", "corner", "offer", "extend", "image-hosts"]) {if (settings[name]) screen.setAttribute(name, settings[name]);
}
window.addEventListener("hashchange", () => {screen.setAttribute("token", new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
});
if (!settings.group?.trim()) document.body.append("This address names no group. Write /overlay/GROUP.");
document.body.append(screen);
"""##,
        "dashboard.js": ##"""
const lostAfter = 5000;
const hiddenFor = 3000;
const outage = 300_000, soon = 4000;
const answerTime = 40_000;
const tabName = "web-" + [...crypto.getRandomValues(new Uint8Array(8))]
.map(byte => byte.toString(16).padStart(2, "0")).join("");
const sleep = (ms, signal) => new Promise(resolve => {const end = () => {clearTimeout(timer);
signal?.removeEventListener("abort", end);
resolve();
};
const timer = setTimeout(end, ms);
signal?.addEventListener("abort", end);
});
const followSight = (come, leave) => {let isAway = false, timer = 0;
const go = () => {clearTimeout(timer);
if (!isAway) leave();
isAway = true;
};
const look = () => {clearTimeout(timer);
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
async function* lines(body, heard) {const decoder = new TextDecoder();
let text = "";
for (const reader = body.getReader(); ;) {const { done, value } = await reader.read();
if (done) return;
heard();
const lines = (text + decoder.decode(value, { stream: true })).split("\n");
text = lines.pop();
for (const line of lines) if (line) yield JSON.parse(line);
}
}
const isNewer = (state, other) => {const [epoch, otherEpoch] = [BigInt(state.epoch), BigInt(other.epoch)];
return epoch > otherEpoch || epoch === otherEpoch && BigInt(state.revision ?? 0) > BigInt(other.revision ?? 0);
};
const matches = (pattern, group) => pattern === "*" || pattern === group
|| pattern.endsWith("/*") && group.startsWith(pattern.slice(0, -1));
class Feed {static #feeds = new Map();
static of(gateway) {const key = JSON.stringify([gateway.source, gateway.token, gateway.client]);
if (!Feed.#feeds.has(key)) Feed.#feeds.set(key, new Feed(gateway));
return Feed.#feeds.get(key);
}
#gateway;
#listeners = new Set();
#states = new Map();
#groups = "";
#stream = null;
#isSynced = false;
#hasBroker = false;
#isAway = false;
#connection = "connecting";
#why = "";
#lostTimer = 0;
#heardAt = 0;
#channel = null;
constructor(gateway) {this.#gateway = gateway;
const reopen = wasAway => {this.#isAway = false;
const isSilent = performance.now() - this.#heardAt > this.#gateway.silence;
if (this.#stream && this.#connection !== "denied" && (wasAway || !this.#isSynced || isSilent)) this.#open();
};
followSight(reopen, () => {this.#isAway = true;
this.#isSynced = false;
this.#channel = null;
if (this.#connection !== "denied") this.#setConnection("connecting");
this.#stream?.abort();
});
window.addEventListener("online", () => { if (!this.#isAway) reopen(false); });
}
follow(listener) {this.#listeners.add(listener);
this.#tell(() => listener.setConnection(this.#connection, this.#why), [listener]);
for (const state of this.#states.values()) this.#tell(() => listener.show(state), [listener]);
queueMicrotask(() => this.#follow());
return () => {this.#listeners.delete(listener);
queueMicrotask(() => this.#follow());
};
}
#follow() {const groups = [...new Set([...this.#listeners].flatMap(listener => listener.groups))].sort().join(" ");
if (groups === this.#groups) return;
this.#groups = groups;
const patterns = groups.split(" ");
for (const group of [...this.#states.keys()]) {if (!patterns.some(pattern => matches(pattern, group))) this.#states.delete(group);
}
this.#open();
}
#open() {this.#stream?.abort();
this.#stream = null;
if (!this.#groups) return this.#setConnection("connecting");
this.#stream = new AbortController();
if (this.#isAway) return;
const { signal } = this.#stream;
if (this.#gateway.client || !navigator.locks || !window.BroadcastChannel) this.#run(signal);
else this.#share(signal).catch(() => { if (!signal.aborted) this.#run(signal); });
}
async #share(signal) {const { source, token } = this.#gateway;
const name = `popups ${source} ${token} ${this.#groups}`;
const channel = new BroadcastChannel(name);
let leads = false;
signal.addEventListener("abort", () => channel.close(), { once: true });
channel.onmessage = ({ data }) => {if (leads && data.asks) this.#publishAll();
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
await navigator.locks.request(name, { signal }, async () => {leads = true;
this.#channel = channel;
await this.#run(signal);
this.#channel = null;
});
}
#publishAll() {this.#publish([...this.#states.values()], this.#isSynced);
}
#publish(entries = [], isWhole = false) {this.#channel?.postMessage({isWhole,states: entries.map(({ state, received }) => ({ state, age: performance.now() - received })),connection: this.#connection,});
}
async #run(signal) {let failures = 0, lostAt = performance.now();
while (!signal.aborted) {this.#isSynced = false;
this.#loseLater();
const opened = performance.now();
const end = await this.#read(signal).catch(() => ({}));
if (signal.aborted) return;
if (end.why !== undefined) return this.#setConnection("denied", end.why);
const now = performance.now();
if (this.#isSynced) lostAt = now;
failures = this.#isSynced && now - opened > 1000 ? 0 : failures + 1;
const most = now - lostAt < outage ? soon : 30_000;
await sleep(end.wait ?? Math.random() * Math.min(most, 500 * 2 ** Math.min(failures, 10)), signal);
}
}
async #read(signal) {const query = new URLSearchParams(this.#groups.split(" ").map(group => ["group", group]));
const { client } = this.#gateway, present = new Set();
if (client) {query.set("client", client);
query.set("tab", tabName);
}
let retry, isBusy = false;
const { status, problem } = await this.#gateway.listen(`/v1/stream?${query}`, signal, item => {retry = item.event === "busy" ? item.retryAfterMs : item.event === "retry" ? item.retryMs : undefined;
isBusy ||= item.event === "busy";
this.#hear(item, present);
}, () => { this.#heardAt = performance.now(); });
if (status === 401) return { why: "" };
if ([400, 403, 404].includes(status) && problem?.reason) return { why: problem.detail };
if (!retry) return {};
return { wait: isBusy ? retry * (0.75 + Math.random() / 2) : Math.min(retry, soon) * (0.5 + Math.random() / 2) };
}
#hear(item, present) {switch (item.event) {case "hello":
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
#emptyAllBut(present) {for (const [group, { state }] of this.#states) {if (present.has(group)) continue;
this.#take({ ...state, active: undefined, offered: false }, 0);
this.#states.delete(group);
}
}
#take(state, age) {const last = this.#states.get(state.group)?.state;
if (last && isNewer(last, state)) return;
const entry = { state, received: performance.now() - age };
this.#states.set(state.group, entry);
this.#publish([entry]);
this.#tell(listener => listener.show(entry));
}
#loseLater() {this.#lostTimer ||= setTimeout(() => this.#setConnection("lost"), lostAfter);
}
#setConnection(connection, why = "") {clearTimeout(this.#lostTimer);
this.#lostTimer = 0;
if (connection === this.#connection && why === this.#why) return;
this.#connection = connection;
this.#why = why;
this.#publish();
this.#tell(listener => listener.setConnection(connection, why));
}
#tell(call, listeners = [...this.#listeners]) {for (const listener of listeners) {try {call(listener);
} catch (error) {console.error(error);
}
}
}
}
class Gateway {silence = 35_000;
constructor(source, token, client) {this.source = source;
this.token = token;
this.client = client;
}
follow(listener) {return Feed.of(this).follow(listener);
}
fetch(path, options = {}) {const isOwn = new URL(this.source, document.baseURI).origin === origin;
const right = this.token ? { Authorization: `Bearer ${this.token}` } : isOwn ? { "X-Popup": "1" } : {};
const headers = { ...right, ...options.headers };
return fetch(this.source + path, { ...options, headers, redirect: "error", referrerPolicy: "no-referrer" });
}
async listen(path, signal, hear, heard = () => {}) {const attempt = new AbortController(), abort = () => attempt.abort();
signal.addEventListener("abort", abort, { once: true });
let watchdog = 0;
const watch = () => {clearTimeout(watchdog);
watchdog = setTimeout(abort, this.silence);
};
watch();
try {const answer = await this.fetch(path, {headers: { Accept: "application/x-ndjson" }, signal: attempt.signal, cache: "no-store",});
const { status } = answer;
if (!answer.ok) return { status, problem: await answer.json().catch(() => null) };
if (!answer.headers.get("Content-Type")?.startsWith("application/x-ndjson")) return { status };
for await (const item of lines(answer.body, () => { heard(); watch(); })) {if (signal.aborted) break;
if (item.heartbeatMs) {this.silence = 2 * item.heartbeatMs + 5000;
watch();
}
hear(item);
}
return { status };
} finally {clearTimeout(watchdog);
signal.removeEventListener("abort", abort);
attempt.abort();
}
}
async send(method, path, body) {try {const answer = await this.fetch(path, {method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" },signal: AbortSignal.timeout(answerTime),});
const content = await answer.json().catch(() => null);
return { status: answer.status, ...(answer.ok ? { result: content } : { problem: content }) };
} catch {return { status: 0 };
}
}
async settle(method, path, body, isWanted) {let isUnknown = false;
for (let attempt = 0; ; attempt++) {const { status, problem } = await this.send(method, path, body);
if (status >= 200 && status < 300 || isUnknown && (status === 404 || status === 409)) return { isDone: true };
if (status && ![429, 500, 502, 503, 504].includes(status)) return { isDone: false, status, problem };
isUnknown ||= status === 0 || status === 504;
await sleep(Math.random() * Math.min(8000, 500 * 2 ** attempt));
if (!isWanted()) return { isDone: false, status, problem };
}
}
}
const byId = id => document.getElementById(id);
const setText = (element, text) => {if (element.textContent !== String(text)) element.textContent = text;
};
const timeLeft = ms => {if (ms === undefined) return "";
const seconds = Math.max(0, Math.ceil(ms / 1000));
return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
};
const makeButton = (label, description, act, className = "") => {const button = document.createElement("button");
Object.assign(button, { type: "button", textContent: label, className });
if (description) button.setAttribute("aria-label", description);
if (act) button.addEventListener("click", act);
return button;
};
class Rows {#body;
#make;
#observer;
#rows = new Map();
constructor(table, make, observer = null) {this.#body = table.tBodies[0];
this.#make = make;
this.#observer = observer;
}
has(key) { return this.#rows.has(key); }
get size() { return this.#rows.size; }
get keys() { return [...this.#body.rows].map(({ key }) => key); }
set(key, value, compare) {let row = this.#rows.get(key);
if (!row) {const element = document.createElement("tr");
const { cells, patch } = this.#make(key);
element.append(...cells.map(({ name = "td", className = "", children = [] } = {}) => {const cell = document.createElement(name);
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
this.#observer?.observe(element);
}
row.value = value;
row.patch(value);
}
delete(key) {const element = this.#rows.get(key)?.element;
if (!element) return;
this.#rows.delete(key);
this.#observer?.unobserve(element);
const hadFocus = element.contains(document.activeElement);
const neighbour = element.nextElementSibling ?? element.previousElementSibling;
element.remove();
if (hadFocus) (neighbour?.querySelector("button") ?? this.#body.closest("[tabindex]"))?.focus();
}
replace(entries, compare) {const keys = new Set(entries.map(([key]) => key));
for (const key of [...this.#rows.keys()]) if (!keys.has(key)) this.delete(key);
const [known, added] = [true, false].map(isKnown => entries.filter(([key]) => this.has(key) === isKnown));
for (const [key, value] of [...known, ...added]) this.set(key, value, compare);
}
sort(compare) {const rows = [...this.#body.rows].sort((a, b) => compare(this.#value(a), this.#value(b)));
const place = rows.findIndex(row => row.contains(document.activeElement));
if (place < 0) return this.#body.append(...rows);
rows[place].before(...rows.slice(0, place));
rows[place].after(...rows.slice(place + 1));
}
keepOrder(compare) {if (this.#isSorted(compare)) return true;
if (this.#body.matches(":focus-within, :hover")) return false;
this.sort(compare);
return true;
}
#isSorted(compare) {const values = [...this.#body.rows].map(row => this.#value(row));
return values.every((value, place) => !place || compare(values[place - 1], value) <= 0);
}
refresh() {for (const { patch, value } of this.#rows.values()) patch(value);
}
#value(element) { return this.#rows.get(element.key)?.value; }
}
const maxEvents = 200;
const placeOrder = (a, b) => a.place - b.place;
const leftOf = ({ remainingMs, delayMs, phase, received }) => {const elapses = remainingMs === undefined || phase === "ACTIVE", left = remainingMs ?? delayMs;
return left === undefined || !elapses ? left : Math.max(0, left - (performance.now() - received));
};
const path = id => `/v1/popups/${encodeURIComponent(id)}`;
class Detail {group = "";
isPaused = false;
#api;
#queue;
#hasMore = false;
#sorts = false;
#work = new AbortController();
#refreshes = 0;
#lastEvent = "";
#hasEvents = false;
#hasMissed = false;
constructor(api) {this.#api = api;
this.#queue = new Rows(byId("queue"), id => this.#row(id));
for (const name of ["focusout", "pointerleave"]) {byId("queue").tBodies[0].addEventListener(name, () => setTimeout(() => this.#keepOrder()));
}
byId("close").addEventListener("click", () => this.close());
byId("hold").addEventListener("click", () => api.act("POST", "/v1/suspend", this.#hold(true)));
byId("resume").addEventListener("click", () => api.act("POST", "/v1/resume", this.#hold(false)));
followSight(wasAway => {if (!wasAway || !this.group) return;
this.#work = new AbortController();
this.refresh();
this.#followEvents(this.#work.signal);
}, () => this.#work.abort());
}
open(group) {this.#work.abort();
this.#work = new AbortController();
this.group = group;
this.#lastEvent = "";
this.#hasEvents = this.#hasMissed = false;
byId("detail").hidden = false;
byId("why").hidden = true;
byId("events").replaceChildren();
setText(byId("detail-title"), `Group ${group}`);
byId("detail-title").focus();
this.refresh();
this.#showPolicy();
this.#followEvents(this.#work.signal);
}
close() {this.#work.abort();
this.group = "";
byId("detail").hidden = true;
byId("pattern").focus();
}
tick() {if (this.group) this.#queue.refresh();
}
#hold(isHeld) {const token = `hold/${this.group}`;
return isHeld ? { group: this.group, token } : { token };
}
async refresh() {if (!this.group || this.isPaused) return;
if (this.#hasMissed) this.#addEvent("… events are missing here");
if (this.#refreshes++) return;
const { group } = this, sorts = this.#sorts;
this.#sorts = false;
const answer = await this.#api.read(`/v1/queue/${group}`);
if (answer && group === this.group) {const popups = answer.popups ?? [];
const received = performance.now();
this.#queue.replace(popups.map((popup, place) => [popup.id, { ...popup, place, received }]), placeOrder);
this.#hasMore = Boolean(answer.truncated);
if (sorts) this.#queue.sort(placeOrder);
this.#keepOrder();
}
await sleep(1000);
const isDue = this.#refreshes > 1;
this.#refreshes = 0;
if (isDue) this.refresh();
}
#keepOrder() {if (this.isPaused) return;
const order = this.#queue.keepOrder(placeOrder) ? ", in their order" : "";
setText(byId("queue-count"), `Popups${order}: ${this.#queue.size}${this.#hasMore ? ", and more" : ""}`);
}
#row(id) {const why = makeButton("Why?", `Why is ${id} where it is?`, () => this.explain(id));
const cancel = makeButton("Cancel", `Cancel ${id}`, async () => {if (await this.#api.confirm(`Cancel the popup ${id}?`)) await this.#api.act("DELETE", path(id));
this.refresh();
});
const priority = document.createElement("input");
Object.assign(priority, { type: "number", name: "priority", required: true });
priority.setAttribute("aria-label", `Priority of ${id}`);
let shown = null;
const form = document.createElement("form");
form.className = "priority";
const change = makeButton("Set priority", `Set the priority of ${id}`);
change.type = "submit";
form.append(priority, change);
form.addEventListener("submit", async event => {event.preventDefault();
const fields = { priority: Number(priority.value), group: this.group };
this.#sorts = await this.#api.act("PATCH", path(id), fields);
this.refresh();
});
return {cells: [{ name: "th" }, {}, { className: "number" }, { className: "number" }, { children: [why, cancel, form] }],patch: (popup, cells) => {setText(cells[0], popup.title || popup.excerpt || popup.id);
setText(cells[1], popup.phase.toLowerCase());
setText(cells[2], popup.priority ?? 0);
setText(cells[3], timeLeft(leftOf(popup)));
if (shown === popup.priority || form.contains(document.activeElement)) return;
shown = popup.priority;
priority.value = shown ?? 0;
},};
}
async explain(id) {const answer = await this.#api.read(path(id), true);
if (!answer) return;
byId("why").hidden = false;
setText(byId("why-title"), `Why? ${answer.title || id}`);
setText(byId("why-text"), answer.text ?? answer.phase);
byId("why-rules").replaceChildren(...(answer.rules ?? []).map(rule => {const item = document.createElement("li");
const left = rule.remainingMs === undefined ? "" : ` (${timeLeft(rule.remainingMs)})`;
item.append(`${rule.rule}: ${rule.text}${left} `);
for (const blocker of rule.blockers ?? []) {item.append(makeButton(blocker, `Why is ${blocker} where it is?`, () => this.explain(blocker)), " ");
}
return item;
}));
byId("why-title").focus();
}
async #showPolicy() {const { group } = this;
const answer = await this.#api.read(`/v1/policy?group=${encodeURIComponent(group)}`);
if (!answer || group !== this.group) return;
const fields = Object.entries({ source: answer.source, ...answer.policy });
byId("policy").replaceChildren(...fields.map(([name, value]) => {const pair = document.createElement("div");
const [term, description] = [document.createElement("dt"), document.createElement("dd")];
term.textContent = name;
description.textContent = typeof value === "object" ? JSON.stringify(value) : value;
pair.append(term, description);
return pair;
}));
}
async #followEvents(signal) {while (!signal.aborted) {const query = new URLSearchParams({ group: this.group, ...(this.#lastEvent && { last: this.#lastEvent }) });
const hear = item => this.#hear(item);
try {const { status } = await this.#api.gateway.listen(`/v1/events?${query}`, signal, hear);
if (status === 403) return this.#addEvent("The token has no right to events.");
} catch {}
await sleep(1000 + 2000 * Math.random(), signal);
}
}
#hear(item) {switch (item.event) {case "hello":
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
#words({ time, popup, ...event }) {const kind = ["queued", "offered", "shown", "paused", "resumed", "updated", "closed", "refused"]
.find(name => event[name]) ?? "";
const { reason = "", action = "", detail = "" } = event[kind] ?? {};
const clock = new Date(Number(time)).toLocaleTimeString();
return [clock, kind, popup, reason, action, detail, event.by && `by ${event.by}`].filter(Boolean).join(" · ");
}
#addEvent(text) {this.#hasMissed = this.isPaused;
if (this.isPaused) return;
const item = document.createElement("li");
item.textContent = text;
byId("events").prepend(item);
while (byId("events").children.length > maxEvents) byId("events").lastChild.remove();
}
}
const time = ms => new Date(ms).toLocaleTimeString();
const changes = {EARLIER: ({ shownLaterMs }) => `shown ${-shownLaterMs} ms earlier`,LATER: ({ shownLaterMs }) => `shown ${shownLaterMs} ms later`,NEVER: () => "never shown",ONLY_NOW: () => "shown, and was not",MORE_OFTEN: ({ now }) => `shown ${now.shownAt.length} times`,LESS_OFTEN: ({ now }) => `shown ${now.shownAt.length} times`,ENDS_DIFFERENTLY: ({ now }) => `ends ${[now.reason ?? now.end, now.action].filter(Boolean).join(" ")}`,};
const outcome = ({ shownAt, end, reason, action }) =>
[shownAt.length ? `shown ${shownAt.map(time).join(", ")}` : "not shown", reason ?? end, action].filter(Boolean).join(" · ");
const setUpTrial = api => {const form = byId("trial");
const [submit] = form.getElementsByTagName("button");
form.addEventListener("submit", async event => {event.preventDefault();
const { group, preset, maxWaiting, gapMs, fields, since } = Object.fromEntries(new FormData(form));
let others = {};
try { if (fields.trim()) others = JSON.parse(fields); } catch {setText(byId("trial-summary"), "The other fields are not JSON; write them as {\"name\": value}.");
return;
}
const policy = {group, preset, ...(maxWaiting && { maxWaiting: Number(maxWaiting) }), ...(gapMs && { gapMs: Number(gapMs) }),...others,};
submit.disabled = true;
setText(byId("trial-summary"), "Comparing …");
const { result, problem } = await api.ask(`/v1/what-if?since=${since}`, policy);
submit.disabled = false;
show(result ?? { differences: [], more: 0, notes: [] }, problem);
});
};
const show = ({ differences, more, notes }, problem) => {byId("differences").hidden = !differences.length;
byId("differences").tBodies[0].replaceChildren(...differences.map(difference => {const row = document.createElement("tr");
const name = document.createElement("th");
name.scope = "row";
name.textContent = difference.content || difference.popup;
row.append(name);
const words = difference.changes.map(change => changes[change]?.(difference) ?? change).join("; ");
for (const text of [difference.group, words, outcome(difference.was)]) row.insertCell().textContent = text;
return row;
}));
byId("trial-notes").replaceChildren(...notes.map(note => {const item = document.createElement("li");
item.textContent = note;
return item;
}));
setText(byId("trial-summary"), problem ?? (!differences.length ? "No popup's outcome would differ."
: `Popups whose outcome would differ: ${differences.length}${more ? `, and ${more} more` : ""}`));
byId("trial-summary").focus();
};
const maxRows = 200;
const maxFollowed = 50, followAfter = 500;
const interval = 2000, oldAfter = 5000;
const maxPages = 10;
const maxPoints = 60;
const silence = "The gateway does not answer.";
const nameOrder = (a, b) => a.group < b.group ? -1 : a.group > b.group ? 1 : 0;
const orders = {group: nameOrder, waiting: (a, b) => (a.waiting ?? 0) - (b.waiting ?? 0) || nameOrder(a, b),};
const api = {gateway: new Gateway("", "", ""),async read(path, isAsked = false) {const { isDone, body } = await this.look(path);
if (isAsked) setText(byId("problem"), isDone ? "" : body?.detail ?? silence);
return isDone ? body : null;
},async look(path) {const answer = await this.gateway.fetch(path, { signal: AbortSignal.timeout(oldAfter) }).catch(() => null);
const body = await answer?.json().catch(() => null) ?? null;
return {isDone: Boolean(answer?.ok && body), body, isDenied: [401, 403, 422].includes(answer?.status),laterMs: answer?.status === 429 ? 1000 * (Number(answer.headers.get("Retry-After")) || 1) : 0,};
},async act(method, path, body) {const { status, problem } = await this.gateway.send(method, path, body);
const isDone = status >= 200 && status < 300;
setText(byId("problem"), isDone ? "" : problem?.detail ?? silence);
return isDone;
},async ask(path, body) {const { result, problem } = await this.gateway.send("POST", path, body);
return result ? { result } : { problem: problem?.detail ?? silence };
},confirm(text) {const dialog = byId("confirm");
setText(byId("confirm-text"), text);
dialog.returnValue = "no";
dialog.showModal();
return new Promise(resolve => {dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
});
},};
const isOccupied = ({ active, waiting, paused }) => Boolean(active || waiting || paused);
const suspensionRow = (token, name) => {const isOwn = token.startsWith(`${name}:`);
const resume = makeButton("Resume", `End the suspension ${token}`,() => api.act("POST", "/v1/resume", { token: token.slice(name.length + 1) }));
return {cells: [{ name: "th" }, {}, {}, {}, {}, { children: isOwn ? [resume] : [] }],patch: ({ group, minPriority, since, by }, cells) => {setText(cells[0], token);
setText(cells[1], group);
setText(cells[2], minPriority === undefined ? "all popups" : `priorities below ${minPriority}`);
setText(cells[3], since ? new Date(Number(since)).toLocaleString() : "");
setText(cells[4], by ?? "");
},};
};
class Groups {#entries = new Map();
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
#problem = "";
#why = "";
#askedAt = 0;
#failedAt = 0;
groups = [];
isPaused = false;
constructor(detail, name) {this.#detail = detail;
const observer = new IntersectionObserver(changes => {for (const { target, isIntersecting } of changes) {if (isIntersecting) this.#inView.add(target.key);
else this.#inView.delete(target.key);
}
this.#followLater();
});
this.#rows = new Rows(byId("groups"), group => this.#row(group), observer);
this.#suspensions = new Rows(byId("suspensions"), token => suspensionRow(token, name));
for (const button of byId("groups").tHead.querySelectorAll("button")) {button.addEventListener("click", () => this.#sort(button));
}
setInterval(() => {if (this.isPaused || document.hidden) return;
this.#rows.refresh();
this.#detail.tick();
this.#checkAge();
}, 1000);
}
list(pattern) {this.#work.abort();
this.#work = new AbortController();
this.#pattern = pattern;
this.#entries.clear();
this.#rows.replace([], nameOrder);
this.#list = "connecting";
this.#askedAt = this.#failedAt = 0;
this.#followLater();
this.#ask(this.#work.signal);
}
async #ask(signal) {while (!signal.aborted) {const pause = this.isPaused || document.hidden ? interval : await this.#look(signal);
await sleep(pause, signal);
}
}
async #look(signal) {const begin = performance.now();
const counts = await this.#counts(signal);
if (!counts.isDone) return Math.max(interval, counts.laterMs);
const popups = await this.#query("popups", { active: 1 }, signal);
if (!popups.isDone) return Math.max(interval, popups.laterMs);
const suspensions = await this.#query("suspensions", {}, signal);
if (!suspensions.isDone) return Math.max(interval, suspensions.laterMs);
this.#failedAt = 0;
this.#list = "open";
this.#showHealth();
if (!this.isPaused) {this.#take(counts.groups, popups.body.popups ?? [], begin, performance.now());
this.#showSuspensions(suspensions.body.suspensions ?? []);
}
return interval * counts.pages;
}
async #counts(signal) {const groups = [];
let after = "", pages = 0, hasMore = true;
while (hasMore && pages < maxPages && groups.length <= maxRows) {const answer = await this.#query("groups", after && { after }, signal);
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
async #query(name, parameters, signal) {const begin = this.#askedAt = performance.now();
const answer = await api.look(`/v1/${name}?${new URLSearchParams({ group: this.#pattern, ...parameters })}`);
if (signal.aborted) return { isDone: false, laterMs: 0 };
this.#askedAt = 0;
if (answer.isDenied) {this.#list = "denied";
this.#failedAt = 0;
this.#problem = answer.body?.detail ?? "the gateway refuses the query";
this.#showHealth();
} else if (!answer.isDone && !answer.laterMs) {this.#failedAt ||= begin;
}
this.#checkAge();
return answer;
}
#checkAge() {const since = this.#failedAt || this.#askedAt;
if (!since || performance.now() - since <= oldAfter) return;
this.#list = "lost";
this.#showHealth();
}
#take(groups, popups, begin, received) {const isLive = this.#stream === "open" ? new Set(this.groups) : new Set();
const cameLater = group => this.#entries.get(group)?.received > begin;
const shown = new Map(popups.map(popup => [popup.group, popup]));
const listed = new Set(groups.map(({ group }) => group));
for (const counts of groups) {if (cameLater(counts.group) || isLive.has(counts.group) && this.#entries.has(counts.group)) continue;
const popup = shown.get(counts.group);
const active = counts.active && {id: counts.active,...(popup?.id === counts.active && {remainingMs: popup.remainingMs, text: popup.excerpt, presentation: { title: popup.title },}),};
this.#entries.set(counts.group, { state: { ...counts, active }, received });
this.#changed.add(counts.group);
}
for (const group of [...this.#entries.keys()]) {if (listed.has(group) || cameLater(group)) continue;
this.#entries.delete(group);
this.#changed.add(group);
}
this.draw();
}
#showSuspensions(suspensions) {const order = (a, b) => a.token < b.token ? -1 : 1;
this.#suspensions.replace(suspensions.map(suspension => [suspension.token, suspension]), order);
setText(byId("suspensions-count"), suspensions.length ? `In force: ${suspensions.length}` : "None is in force.");
}
#follow() {const groups = this.#rows.keys.filter(group => this.#inView.has(group));
if (this.#detail.group) groups.unshift(this.#detail.group);
const followed = [...new Set(groups)].slice(0, maxFollowed);
if (followed.join(" ") === this.groups.join(" ")) return;
this.#unfollow?.();
this.groups = followed;
this.#unfollow = followed.length ? api.gateway.follow(this) : null;
this.#showHealth();
}
#followLater() {this.#followTimer ||= setTimeout(() => {this.#followTimer = 0;
this.#follow();
}, followAfter);
}
show(entry) {const { group } = entry.state;
if (!this.groups.includes(group)) return;
if (matches(this.#pattern, group)) this.#entries.set(group, entry);
this.#changed.add(group);
this.draw();
}
setConnection(connection, why) {this.#stream = connection;
this.#why = why;
this.#showHealth();
}
#showHealth() {const stream = this.groups.length ? this.#stream : "open";
const words = {open: "● connected", connecting: "○ connecting", lost: "○ connection lost: what you see may be old",denied: `○ ${this.#list === "denied" ? this.#problem : this.#why || "the gateway does not know the token"}`,};
const state = ["denied", "lost"].find(word => this.#list === word || stream === word) ?? this.#list;
setText(byId("health"), words[state]);
}
draw() {if (this.#isDrawing || this.isPaused) return;
this.#isDrawing = true;
requestAnimationFrame(() => {this.#isDrawing = false;
if (this.isPaused) return;
for (const group of this.#changed) {const entry = this.#entries.get(group);
if (!entry || !isOccupied(entry.state)) {this.#rows.delete(group);
this.#inView.delete(group);
} else if (this.#rows.size < maxRows || this.#rows.has(group)) {this.#rows.set(group, this.#value(entry), this.#compare);
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
#sort(button) {if (this.#order !== button.dataset.sort) this.#direction = 1;
else if (this.#isSorted) this.#direction = -this.#direction;
this.#order = button.dataset.sort;
this.#rows.sort(this.#compare);
this.#isSorted = true;
this.#showOrder();
}
#keepOrder() {const isSorted = this.#rows.keepOrder(this.#compare);
if (this.#isSorted === isSorted) return;
this.#isSorted = isSorted;
this.#showOrder();
}
#showOrder() {for (const button of byId("groups").tHead.querySelectorAll("[data-sort]")) {const isChosen = this.#isSorted && button.dataset.sort === this.#order;
const word = !isChosen ? "none" : this.#direction > 0 ? "ascending" : "descending";
button.closest("th").setAttribute("aria-sort", word);
}
}
#row(group) {const open = makeButton(group, "", () => {this.#detail.open(group);
this.#followLater();
}, "link");
const shown = () => this.#entries.get(group)?.state.active?.id;
const dismiss = makeButton("Dismiss", `Dismiss what ${group} shows`, async () => {const id = shown();
if (!id || !await api.confirm(`Dismiss the popup ${id} of ${group}?`)) return;
await api.act("DELETE", `/v1/popups/${encodeURIComponent(id)}`);
});
const next = makeButton("Next", `Next popup of ${group}`, async () => {const id = shown();
if (!id || !await api.confirm(`Close the popup ${id} of ${group}, and show the next one?`)) return;
if (shown() === id) await api.act("POST", `/v1/advance/${group}`);
else setText(byId("problem"), `${group} does not show ${id} any more.`);
});
const title = document.createElement("span");
return {cells: [{ name: "th", children: [open] }, { children: [title] }, { className: "number" }, { className: "number" },{ className: "number" }, { children: [dismiss, next] },],patch: ({ active, waiting, paused, offered, received }, cells) => {const words = active?.presentation?.title || active?.text || active?.id || "";
setText(title, offered ? `${words} (offered)` : words);
title.dataset.style = active?.presentation?.style ?? "";
const left = received + active?.remainingMs - performance.now();
setText(cells[2], timeLeft(isNaN(left) ? undefined : left));
setText(cells[3], waiting ?? 0);
setText(cells[4], paused ?? 0);
for (const button of [dismiss, next]) {if (!active && button === document.activeElement) open.focus();
button.disabled = !active;
}
},};
}
}
const refusals = new Rows(byId("refused"), () => ({cells: [{ name: "th" }, { className: "number" }],patch: ({ reason, count }, cells) => {setText(cells[0], reason);
setText(cells[1], count);
},}));
const followNumbers = async groups => {let before = null;
for (;;) {const now = performance.now();
const { isDone, body: stats, laterMs } = document.hidden || groups.isPaused ? {} : await api.look("/v1/stats");
if (isDone && !groups.isPaused) {const rate = name => !before ? undefined
: Math.round((Number(stats[name] ?? 0) - Number(before.stats[name] ?? 0)) * 1000 / (now - before.now));
byId("what-if").hidden = !stats.gateway?.whatIf;
const uptime = Math.floor(Number(stats.uptimeMs ?? 0) / 1000);
const numbers = {Broker: stats.version ?? "", Gateway: stats.gateway?.version ?? "", Up: `${Math.floor(uptime / 3600)} h ${Math.floor(uptime / 60) % 60} min`,Groups: stats.groups ?? 0, Popups: stats.popups ?? 0, Refused: stats.refused ?? 0,};
for (const [name, value] of Object.entries(numbers)) showNumber(name, value);
drawRate("Commands/s", rate("commands"));
drawRate("Events/s", rate("events"));
showRefusals(stats.refusedByReason ?? []);
before = { stats, now };
}
await sleep(Math.max(interval, laterMs ?? 0));
}
};
const showRefusals = counts => {const present = counts.filter(({ count }) => Number(count ?? 0) > 0);
byId("refusals").hidden = !present.length;
refusals.replace(present.map(refusal => [refusal.reason, refusal]), (a, b) => a.reason < b.reason ? -1 : 1);
};
const showNumber = (name, value) => {const list = byId("numbers");
let pair = [...list.children].find(other => other.firstChild.textContent === name);
if (!pair) {pair = document.createElement("div");
pair.append(document.createElement("dt"), document.createElement("dd"));
pair.firstChild.textContent = name;
list.append(pair);
}
setText(pair.children[1], value);
return pair;
};
const rates = {};
const drawRate = (name, value) => {const pair = showNumber(name, value ?? "–");
if (value === undefined) return;
const points = rates[name] = [...rates[name] ?? [], Math.max(0, value)].slice(-maxPoints);
if (!pair.querySelector("svg")) {const [svg, line] = ["svg", "polyline"].map(word => document.createElementNS("http://www.w3.org/2000/svg", word));
svg.setAttribute("viewBox", `0 0 ${maxPoints - 1} 20`);
svg.setAttribute("role", "img");
svg.append(line);
const place = document.createElement("dd");
place.append(svg);
pair.append(place);
}
const most = Math.max(...points), first = maxPoints - points.length;
pair.querySelector("svg").setAttribute("aria-label", `The last ${points.length}: at most ${most}`);
pair.querySelector("polyline").setAttribute("points", points.map((point, place) => `${first + place},${19 - 18 * point / (most || 1)}`).join(" "));
};
const setUpForm = () => {const form = byId("ask");
const fields = () => Object.fromEntries(new FormData(form));
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
const showCurl = () => {const { group, title, text, priority, seconds } = fields();
const query = new URLSearchParams({ ...(title && { title }), priority, duration: `${seconds}s` });
setText(byId("curl"), `curl -H "Authorization: Bearer $TOKEN" --data-raw ${quoted(text)} `
+ quoted(`${location.origin}/v1/show/${group}?${query}`));
};
form.addEventListener("input", showCurl);
form.addEventListener("submit", event => {event.preventDefault();
const { group, title, text, priority, seconds } = fields();
api.act("POST", "/v1/popups", {group, text, priority: Number(priority), durationMs: Number(seconds) * 1000, presentation: { title },});
});
showCurl();
};
const address = new URLSearchParams(location.hash.slice(1)), patternOfAddress = address.get("group")?.trim() ?? "";
const keepPattern = pattern => history.replaceState(null, "", location.pathname
+ (pattern ? `#group=${encodeURIComponent(pattern).replaceAll("%2F", "/")}` : ""));
const start = async () => {const { status, result } = await api.gateway.send("GET", "/v1/session-cookie");
if (status === 401) return false;
const patterns = result?.rights?.query ?? [], hasAll = !result || patterns.includes("*");
byId("patterns").replaceChildren(...patterns.map(pattern => new Option(pattern)));
byId("pattern").value = patternOfAddress || (hasAll ? "*" : patterns[0] ?? "*");
byId("login").hidden = true;
byId("work").hidden = byId("leave").hidden = false;
const detail = new Detail(api);
const groups = new Groups(detail, result?.name ?? "");
byId("filter").addEventListener("submit", event => {event.preventDefault();
const pattern = byId("pattern").value.trim();
keepPattern(pattern);
groups.list(pattern);
});
byId("pause").addEventListener("change", event => {groups.isPaused = detail.isPaused = event.target.checked;
groups.draw();
detail.refresh();
});
groups.list(byId("pattern").value);
setUpForm();
setUpTrial(api);
if (hasAll) followNumbers(groups);
return true;
};
const refusal = async answer => {if (answer.status === 401) return "The gateway does not know this token.";
const problem = await answer.json().catch(() => null), seconds = Number(answer.headers.get("Retry-After"));
return `${problem?.detail ?? `The gateway answers with the status ${answer.status}`}`
+ (seconds > 0 ? ` (try again in ${timeLeft(1000 * seconds)})` : "");
};
const logIn = async token => {const answer = await new Gateway("", token, "").fetch("/v1/session-cookie", { method: "POST" }).catch(() => null);
const isIn = Boolean(answer?.ok && await start());
setText(byId("login-problem"), isIn ? "" : !answer ? silence
: answer.ok ? "The browser keeps no cookie for this page." : await refusal(answer));
return isIn;
};
const begin = async () => {window.addEventListener("hashchange", () => location.reload());
byId("login").addEventListener("submit", event => {event.preventDefault();
logIn(byId("token").value.trim());
});
byId("leave").addEventListener("click", async () => {await api.act("DELETE", "/v1/session-cookie");
location.reload();
});
const token = address.get("token");
if (token) keepPattern(patternOfAddress);
if (token ? await logIn(token) : await start()) return;
byId("login").hidden = false;
byId("token").focus();
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
html,body{margin:0;height:100%;background:transparent;color-scheme:normal}noscript{font:16px/1.45 system-ui,sans-serif}
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
<p>The token needs the rights query and watch for the groups that you look at. It is kept in a cookie that no script can read.</p>
<label>Token <input id="token" type="password" autocomplete="off" required></label>
<button>Open</button>
<p id="login-problem" role="alert"></p>
</form>
<div id="work" hidden>
<section aria-labelledby="groups-title">
<h2 id="groups-title">Groups</h2>
<form id="filter">
<label>Group or pattern <input id="pattern" value="*" list="patterns" required></label>
<datalist id="patterns"></datalist>
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
<section aria-labelledby="suspensions-title">
<h2 id="suspensions-title">Suspensions</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="suspensions-title">
<table id="suspensions">
<caption id="suspensions-count"></caption>
<thead><tr><th scope="col">Suspension</th><th scope="col">Groups</th><th scope="col">Holds back</th><th scope="col">Since</th>
<th scope="col">User</th><th scope="col">Actions</th></tr></thead>
<tbody></tbody>
</table>
</div>
</section>
<section id="what-if" aria-labelledby="what-if-title" hidden>
<h2 id="what-if-title">Try another policy</h2>
<p>What would have changed if this policy had been in force? Nothing is set.</p>
<form id="trial">
<label>Group or pattern <input name="group" value="*" required></label>
<label>Preset <select name="preset"><option>PRIORITY</option><option>FIFO</option><option>LIFO</option><option>POLITE</option><option>STACKED</option></select></label>
<label>Most waiting <input name="maxWaiting" type="number" min="1"></label>
<label>Gap, ms <input name="gapMs" type="number" min="0"></label>
<label>Other fields, as JSON <input name="fields" placeholder='{"overflow": "DROP_OLDEST"}'></label>
<label>Of the last <select name="since"><option value="15m">15 minutes</option><option value="1h" selected>hour</option><option value="24h">day</option></select></label>
<button>Try</button>
</form>
<p id="trial-summary" role="status" tabindex="-1"></p>
<div class="scroll" tabindex="0" role="region" aria-label="Popups whose outcome would differ">
<table id="differences" hidden>
<caption>Popups whose outcome would differ</caption>
<thead><tr><th scope="col">Popup</th><th scope="col">Group</th><th scope="col">Would have been</th><th scope="col">Was</th></tr></thead>
<tbody></tbody>
</table>
</div>
<ul id="trial-notes"></ul>
</section>
<section id="refusals" aria-labelledby="refusals-title" hidden>
<h2 id="refusals-title">Refused commands</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="refusals-title">
<table id="refused">
<caption>By reason, since the broker's start</caption>
<thead><tr><th scope="col">Reason</th><th scope="col">Number</th></tr></thead>
<tbody></tbody>
</table>
</div>
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
:root{color-scheme:light dark;--back:#f6f7f9;--sheet:#fff;--text:#1a1d21;--soft:#565d66;--line:#d4d8dd;--accent:#3559b5}@media (prefers-color-scheme:dark){:root{--back:#14171b;--sheet:#1d2126;--text:#f1f3f5;--soft:#b4bcc6;--line:#3c434c;--accent:#9ab8ff}}*{box-sizing:border-box}[hidden]{display:none !important}body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}header{display:flex;flex-wrap:wrap;gap:4px 24px;align-items:center;padding:12px 20px;background:var(--sheet);border-bottom:1px solid var(--line)}h1{margin:0;font-size:1.25rem}h2{margin:0 0 8px;font-size:1.125rem}h3{margin:20px 0 4px;font-size:1rem}#health{margin:0;font-weight:600}dl{display:flex;flex-wrap:wrap;gap:2px 20px;margin:0}dl div{display:flex;gap:6px}dt{color:var(--soft)}dd{margin:0;font-variant-numeric:tabular-nums}#numbers svg{width:60px;height:20px;vertical-align:middle}#numbers polyline{fill:none;stroke:var(--accent);stroke-width:1.5}#leave{margin-inline-start:auto}main{padding:20px;display:grid;gap:20px;max-width:1400px;margin:auto}#work{display:grid;gap:20px;min-width:0}#work > section,#login{background:var(--sheet);border:1px solid var(--line);border-radius:10px;padding:16px 20px;min-width:0}form{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:end}#login{display:grid;justify-items:start}label{display:grid;font-size:.875rem;color:var(--soft)}.switch{display:flex;gap:6px;align-items:center;min-height:40px}input,select{font:inherit;padding:7px 10px;min-width:0;max-width:100%;border:1px solid var(--soft);border-radius:6px;background:var(--sheet);color:var(--text)}button{font:inherit;min-height:32px;padding:4px 12px;border:1px solid var(--soft);border-radius:6px;background:var(--sheet);color:var(--text);cursor:pointer}form button{min-height:40px}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}.scroll{overflow-x:auto;margin-top:8px}table{border-collapse:collapse;width:100%;min-width:640px}caption{text-align:start;color:var(--soft);padding-bottom:4px}th,td{text-align:start;padding:6px 10px;border-bottom:1px solid var(--line);vertical-align:middle}th button{border:0;background:none;padding:0;font-weight:700}th[aria-sort=ascending] button::after{content:" ▲"}th[aria-sort=descending] button::after{content:" ▼"}td.number{font-variant-numeric:tabular-nums}td button{margin:2px 4px 2px 0}td form{display:inline-flex;gap:4px;align-items:center}td form button{min-height:32px}td input{width:5.5rem;padding:3px 8px}td button.link,#why button{border:0;background:none;padding:0;color:var(--accent);text-decoration:underline;text-align:start}[data-style=warning]::before{content:"⚠ "}[data-style=error]::before{content:"✕ "}[data-style=success]::before{content:"✓ "}#why{border-inline-start:4px solid var(--accent);padding-inline-start:14px}#events{max-height:16rem;overflow:auto;margin:0;padding:0;list-style:none;font-size:.875rem;font-variant-numeric:tabular-nums}pre{white-space:pre-wrap;background:var(--back);padding:10px;border-radius:6px;margin:0}#problem:empty,#login-problem:empty{display:none}#problem,#login-problem{font-weight:600}dialog{border:1px solid var(--line);border-radius:10px;background:var(--sheet);color:var(--text);max-width:28rem}
"""##,
        "openapi.json": ##"""
{"openapi":"3.1.0","info":{"title":"PopupBroker gateway","version":"0.2.0","description":"Popups for everything that speaks HTTP. Documentation/Gateway.md tells more."},"servers":[{"url":"http://127.0.0.1:8570"}],"security":[{"token":[]},{"cookie":[]},{"secureCookie":[]}],"paths":{"/v1/popups":{"post":{"operationId":"showPopup","summary":"Requests a popup.","tags":["popups"],"description":"Without `id`, the gateway makes one. Right: show.","parameters":[{"name":"wait","in":"query","description":"How long the request may be held, at most `60s`.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}},{"name":"Idempotency-Key","in":"header","schema":{"type":"string","maxLength":100},"description":"Makes the id of the popup, so that a repetition changes nothing."}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Popup"}}}},"responses":{"201":{"description":"The broker has committed the popup. With `wait`: it is closed.","content":{"application/json":{"schema":{"type":"object","required":["id"],"additionalProperties":false,"properties":{"id":{"type":"string","description":"The id of the popup."},"closed":{"type":"object","required":["reason","action","displayedMs"],"description":"With `wait`: how the popup closed.","properties":{"reason":{"type":"string"},"action":{"type":"string"},"displayedMs":{"type":"integer","minimum":0}}}}}}},"headers":{"Location":{"description":"The popup.","schema":{"type":"string"}}}},"202":{"description":"With `wait`: the time is over, and the popup is not closed.","content":{"application/json":{"schema":{"type":"object","required":["id"],"additionalProperties":false,"properties":{"id":{"type":"string","description":"The id of the popup."},"closed":{"type":"object","required":["reason","action","displayedMs"],"description":"With `wait`: how the popup closed.","properties":{"reason":{"type":"string"},"action":{"type":"string"},"displayedMs":{"type":"integer","minimum":0}}}}}}},"headers":{"Location":{"description":"The popup.","schema":{"type":"string"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}},"get":{"operationId":"listPopups","summary":"Lists live popups, or counts them.","tags":["popups"],"description":"Right: query.","parameters":[{"name":"group","in":"query","description":"A name or a pattern; all groups without it.","schema":{"type":"string"}},{"name":"surface","in":"query","description":"Only of this surface.","schema":{"type":"string"}},{"name":"producer","in":"query","description":"Only of this producer, 32 hexadecimal digits.","schema":{"type":"string"}},{"name":"active","in":"query","description":"`1`: only active ones.","schema":{"enum":["0","1"]}},{"name":"count","in":"query","description":"`1`: only the number.","schema":{"enum":["0","1"]}}],"responses":{"200":{"description":"The popups; with `count`, their number.","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/ListResult"},{"type":"object","required":["popups"],"properties":{"popups":{"type":"integer","minimum":0}}}]}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/popups/{id}":{"parameters":[{"name":"id","in":"path","required":true,"description":"The id of the popup, percent-encoded: one segment.","schema":{"type":"string","minLength":1}}],"put":{"operationId":"putPopup","summary":"Requests a popup under an id. A repetition changes nothing.","tags":["popups"],"description":"Right: show.","parameters":[{"name":"wait","in":"query","description":"How long the request may be held, at most `60s`.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Popup"}}}},"responses":{"200":{"description":"The broker has committed the popup. With `wait`: it is closed.","content":{"application/json":{"schema":{"type":"object","required":["id"],"additionalProperties":false,"properties":{"id":{"type":"string","description":"The id of the popup."},"closed":{"type":"object","required":["reason","action","displayedMs"],"description":"With `wait`: how the popup closed.","properties":{"reason":{"type":"string"},"action":{"type":"string"},"displayedMs":{"type":"integer","minimum":0}}}}}}}},"202":{"description":"With `wait`: the time is over, and the popup is not closed.","content":{"application/json":{"schema":{"type":"object","required":["id"],"additionalProperties":false,"properties":{"id":{"type":"string","description":"The id of the popup."},"closed":{"type":"object","required":["reason","action","displayedMs"],"description":"With `wait`: how the popup closed.","properties":{"reason":{"type":"string"},"action":{"type":"string"},"displayedMs":{"type":"integer","minimum":0}}}}}}},"headers":{"Location":{"description":"The popup.","schema":{"type":"string"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}},"patch":{"operationId":"updatePopup","summary":"Changes a live popup. What is absent stays.","tags":["popups"],"description":"Right: update.","parameters":[{"name":"group","in":"query","description":"The group of the popup: then the gateway need not ask the broker for it.","schema":{"type":"string"}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Update"}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}},"delete":{"operationId":"cancelPopup","summary":"Closes a popup as its producer or an administrator's program does.","tags":["popups"],"description":"Right: dismiss.","parameters":[{"name":"group","in":"query","description":"The group of the popup: then the gateway need not ask the broker for it.","schema":{"type":"string"}},{"name":"action","in":"query","description":"What is reported as the action.","schema":{"type":"string"}}],"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}},"get":{"operationId":"explainPopup","summary":"Tells what holds a popup back, or how it closed.","tags":["popups"],"description":"With `wait`, the request is held until the popup is closed. Right: watch.","parameters":[{"name":"group","in":"query","description":"The group of the popup: then the gateway need not ask the broker for it.","schema":{"type":"string"}},{"name":"wait","in":"query","description":"How long the request may be held, at most `60s`.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}}],"responses":{"200":{"description":"What is known of the popup.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/ExplainResult"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/popups/{id}/dismiss":{"parameters":[{"name":"id","in":"path","required":true,"description":"The id of the popup, percent-encoded: one segment.","schema":{"type":"string","minLength":1}}],"post":{"operationId":"dismissPopup","summary":"Closes a popup as a person does.","tags":["popups"],"description":"Right: render.","parameters":[{"name":"group","in":"query","description":"The group of the popup: then the gateway need not ask the broker for it.","schema":{"type":"string"}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Dismiss"}],"required":["revision"]}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/popups/{id}/answer":{"parameters":[{"name":"id","in":"path","required":true,"description":"The id of the popup, percent-encoded: one segment.","schema":{"type":"string","minLength":1}}],"post":{"operationId":"answerOffer","summary":"Accepts or declines an offered popup.","tags":["popups"],"description":"Right: render.","parameters":[{"name":"group","in":"query","description":"The group of the popup: then the gateway need not ask the broker for it.","schema":{"type":"string"}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Answer"}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/popups/{id}/report":{"parameters":[{"name":"id","in":"path","required":true,"description":"The id of the popup, percent-encoded: one segment.","schema":{"type":"string","minLength":1}}],"post":{"operationId":"reportPopup","summary":"Reports that a popup is displayed, visible or hidden.","tags":["popups"],"description":"Right: render.","parameters":[{"name":"group","in":"query","description":"The group of the popup: then the gateway need not ask the broker for it.","schema":{"type":"string"}},{"name":"tab","in":"query","description":"The tab of the renderer: of several tabs with one `client`, a popup is hidden only when none shows it.","schema":{"type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$"}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Report"}}}},"responses":{"202":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/show/{group}":{"parameters":[{"name":"group","in":"path","required":true,"description":"The name of the group. Its slashes stay as they are.","schema":{"type":"string","minLength":1}}],"post":{"operationId":"showText","summary":"Requests a popup whose text is the body, of any content type but JSON.","tags":["show"],"description":"Right: show.","parameters":[{"name":"title","in":"query","description":"The title.","schema":{"type":"string"}},{"name":"priority","in":"query","description":"The priority.","schema":{"type":"integer","minimum":-2147483648,"maximum":2147483647}},{"name":"duration","in":"query","description":"The display time.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}},{"name":"ttl","in":"query","description":"The time to live.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}},{"name":"delay","in":"query","description":"The delay.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}},{"name":"style","in":"query","description":"The style, such as `warning`.","schema":{"type":"string"}},{"name":"scene","in":"query","description":"Where it is shown.","schema":{"enum":["center","bottom-sheet","top-bar","full-screen"]}},{"name":"id","in":"query","description":"The id; without it, the gateway makes one.","schema":{"type":"string"}},{"name":"collapse","in":"query","description":"The collapse key.","schema":{"type":"string"}},{"name":"action","in":"query","description":"An action, `ID:LABEL`.","schema":{"type":"array","items":{"type":"string"},"maxItems":32}},{"name":"wait","in":"query","description":"How long the request may be held, at most `60s`.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}},{"name":"Idempotency-Key","in":"header","schema":{"type":"string","maxLength":100},"description":"Makes the id of the popup, so that a repetition changes nothing."}],"requestBody":{"required":true,"content":{"text/plain":{"schema":{"type":"string"}}}},"responses":{"201":{"description":"The broker has committed the popup. With `wait`: it is closed.","content":{"application/json":{"schema":{"type":"object","required":["id"],"additionalProperties":false,"properties":{"id":{"type":"string","description":"The id of the popup."},"closed":{"type":"object","required":["reason","action","displayedMs"],"description":"With `wait`: how the popup closed.","properties":{"reason":{"type":"string"},"action":{"type":"string"},"displayedMs":{"type":"integer","minimum":0}}}}}}},"headers":{"Location":{"description":"The popup.","schema":{"type":"string"}}}},"202":{"description":"With `wait`: the time is over, and the popup is not closed.","content":{"application/json":{"schema":{"type":"object","required":["id"],"additionalProperties":false,"properties":{"id":{"type":"string","description":"The id of the popup."},"closed":{"type":"object","required":["reason","action","displayedMs"],"description":"With `wait`: how the popup closed.","properties":{"reason":{"type":"string"},"action":{"type":"string"},"displayedMs":{"type":"integer","minimum":0}}}}}}},"headers":{"Location":{"description":"The popup.","schema":{"type":"string"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/state/{group}":{"parameters":[{"name":"group","in":"path","required":true,"description":"The name of the group. Its slashes stay as they are.","schema":{"type":"string","minLength":1}}],"get":{"operationId":"stateOfGroup","summary":"Tells what a group shows.","tags":["state"],"description":"With `wait`, the request is held until the state differs from the client's. Right: watch.","parameters":[{"name":"wait","in":"query","description":"How long the request may be held, at most `60s`.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}},{"name":"If-None-Match","in":"header","schema":{"type":"string","pattern":"^W/\"[0-9:]+\"$"},"description":"The `ETag` of the state that the client has."}],"responses":{"200":{"description":"The state of the group.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/GroupState"}}}},"304":{"description":"The client has this state."},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/queue/{group}":{"parameters":[{"name":"group","in":"path","required":true,"description":"The name of the group. Its slashes stay as they are.","schema":{"type":"string","minLength":1}}],"get":{"operationId":"queueOfGroup","summary":"Lists the popups of a group in the order of its queue.","tags":["queue"],"description":"Right: query.","responses":{"200":{"description":"The queue.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/PeekResult"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/stream":{"get":{"operationId":"streamStates","summary":"Streams what groups show.","tags":["stream"],"description":"Sent as Server-Sent Events or, as `application/x-ndjson`, in JSON lines. Documentation/Gateway.md describes the messages. Right: watch, with `client` also render.","parameters":[{"name":"group","in":"query","description":"A name or a pattern; several are possible.","schema":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":64},"required":true},{"name":"format","in":"query","description":"`sse`: Server-Sent Events, whatever `Accept` says.","schema":{"enum":["sse"]}},{"name":"client","in":"query","description":"Makes the stream a renderer of this name.","schema":{"type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$"}},{"name":"tab","in":"query","description":"The tab of the renderer: of several tabs with one `client`, a popup is hidden only when none shows it.","schema":{"type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$"}},{"name":"report","in":"query","description":"`manual`: the page reports what it displays.","schema":{"enum":["manual"]}},{"name":"last","in":"query","description":"The id of the last state that the client of one group has, as `Last-Event-ID`.","schema":{"type":"string"}}],"responses":{"200":{"description":"The stream.","content":{"text/event-stream":{"schema":{"type":"string"}},"application/x-ndjson":{"schema":{"type":"string"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/events":{"get":{"operationId":"streamEvents","summary":"Streams the events of groups.","tags":["events"],"description":"Sent as Server-Sent Events or, as `application/x-ndjson`, in JSON lines. Documentation/Gateway.md describes the messages. Right: events.","parameters":[{"name":"group","in":"query","description":"A name or a pattern; several are possible.","schema":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":64},"required":true},{"name":"format","in":"query","description":"`sse`: Server-Sent Events, whatever `Accept` says.","schema":{"enum":["sse"]}},{"name":"last","in":"query","description":"The id of the last event that the client has, as `Last-Event-ID`.","schema":{"type":"string"}}],"responses":{"200":{"description":"The stream.","content":{"text/event-stream":{"schema":{"type":"string"}},"application/x-ndjson":{"schema":{"type":"string"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/stats":{"get":{"operationId":"statistics","summary":"Tells the broker's statistics.","tags":["stats"],"description":"Right: query of `\"*\"`.","responses":{"200":{"description":"The statistics.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/StatsResult"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/groups":{"get":{"operationId":"listGroups","summary":"Lists the groups that the broker knows, with the numbers of their popups.","tags":["groups"],"description":"Right: query.","parameters":[{"name":"group","in":"query","description":"A name or a pattern; all groups without it.","schema":{"type":"string"}},{"name":"after","in":"query","description":"The name after which the groups begin.","schema":{"type":"string"}}],"responses":{"200":{"description":"A page of groups.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/GroupsResult"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/suspensions":{"get":{"operationId":"listSuspensions","summary":"Lists the suspensions that apply to groups.","tags":["suspensions"],"description":"Right: query.","parameters":[{"name":"group","in":"query","description":"A name or a pattern; all groups without it.","schema":{"type":"string"}}],"responses":{"200":{"description":"The suspensions.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/SuspensionsResult"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/policy":{"get":{"operationId":"policies","summary":"Lists the policies, or tells the one in force for a group.","tags":["policy"],"description":"Right: query.","parameters":[{"name":"group","in":"query","description":"A name or a pattern.","schema":{"type":"string"}}],"responses":{"200":{"description":"The policies; with `group`, the one in force.","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/PoliciesResult"},{"$ref":"#/components/schemas/PolicyInForce"}]}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}},"put":{"operationId":"setPolicy","summary":"Sets a policy.","tags":["policy"],"description":"Right: control.","requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SetPolicy"}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/advance/{group}":{"parameters":[{"name":"group","in":"path","required":true,"description":"The name of the group. Its slashes stay as they are.","schema":{"type":"string","minLength":1}}],"post":{"operationId":"advanceGroup","summary":"Closes the popup that a group shows.","tags":["advance"],"description":"Right: control.","responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/clear":{"post":{"operationId":"clearPopups","summary":"Closes the selected popups.","tags":["clear"],"description":"Right: control.","requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Clear"}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/suspend":{"post":{"operationId":"suspendGroups","summary":"Holds groups back until `resume`.","tags":["suspend"],"description":"Right: control.","requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Suspend"}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/resume":{"post":{"operationId":"resumeGroups","summary":"Ends a suspension.","tags":["resume"],"description":"Right: control.","requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Resume"}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/session":{"post":{"operationId":"setSession","summary":"Sets the session of a group.","tags":["session"],"description":"Right: control.","requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SetSession"}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/page":{"post":{"operationId":"setPage","summary":"Tells which pages are open.","tags":["page"],"description":"Right: control of `\"*\"`.","requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Page"}}}},"responses":{"200":{"description":"The broker has committed it.","content":{"application/json":{"schema":{"type":"object","required":["accepted"],"additionalProperties":false,"properties":{"accepted":{"const":true}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/commands":{"post":{"operationId":"sendCommands","summary":"Sends a command or a batch.","tags":["commands"],"description":"Right: each command's.","parameters":[{"name":"tab","in":"query","description":"The tab of the renderer: of several tabs with one `client`, a popup is hidden only when none shows it.","schema":{"type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$"}},{"name":"Idempotency-Key","in":"header","schema":{"type":"string","maxLength":100},"description":"Makes the ids of popups without one, each with its place in the batch."}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/Command"},{"allOf":[{"$ref":"#/components/schemas/Batch"}],"required":["commands"]}]}}}},"responses":{"200":{"description":"What became of each command. A lone command has the status of its result.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}}}},"404":{"description":"There is no such popup, or the token may not do this with it.","content":{"application/json":{"schema":{"anyOf":[{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}},{"$ref":"#/components/schemas/Problem"}]}},"application/problem+json":{"schema":{"anyOf":[{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}},{"$ref":"#/components/schemas/Problem"}]}}}},"409":{"description":"The popup has changed.","content":{"application/json":{"schema":{"anyOf":[{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}},{"$ref":"#/components/schemas/Problem"}]}},"application/problem+json":{"schema":{"anyOf":[{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}},{"$ref":"#/components/schemas/Problem"}]}}}},"501":{"description":"This version does not have it.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"400":{"description":"The request is malformed.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"401":{"$ref":"#/components/responses/401"},"403":{"description":"The token lacks a right.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"408":{"description":"The request took too long to arrive.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"413":{"description":"The request is too large.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"description":"A value is invalid.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"429":{"description":"There are too many requests.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"500":{"description":"The gateway has failed; its log says why.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"503":{"description":"The broker is not reached, and nothing was sent; or the gateway ends while it holds the request.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"504":{"description":"The broker has not answered: not known.","content":{"application/json":{"schema":{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","properties":{"accepted":{"const":true},"id":{"type":"string"},"status":{"type":"integer"},"refused":{"$ref":"#/components/schemas/Problem"}}}}}}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/v1/what-if":{"post":{"operationId":"whatIf","summary":"Tells the popups whose outcome would differ if this policy had been in force.","tags":["what"],"description":"Right: query on `*`.","parameters":[{"name":"since","in":"query","description":"How far back popups count; an hour without it.","schema":{"type":"string","pattern":"^[0-9]{1,9}(ms|s|m|h)$","examples":["20s"]}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SetPolicy"}}}},"responses":{"200":{"description":"The popups whose outcome differs, at most 200.","content":{"application/json":{"schema":{"type":"object","required":["differences","more","notes"],"properties":{"differences":{"type":"array","maxItems":200,"items":{"type":"object","required":["popup","group","changes","was","now"],"properties":{"popup":{"type":"string"},"group":{"type":"string"},"content":{"type":"string"},"ttlMs":{"type":"integer","minimum":0},"changes":{"type":"array","minItems":1,"items":{"enum":["EARLIER","LATER","NEVER","ONLY_NOW","MORE_OFTEN","LESS_OFTEN","ENDS_DIFFERENTLY"]}},"shownLaterMs":{"type":"integer"},"was":{"type":"object","required":["end","shownAt"],"properties":{"shownAt":{"type":"array","items":{"type":"integer"},"description":"The times in ms since 1970."},"end":{"enum":["CLOSED","REFUSED","OPEN"]},"reason":{"type":"string"},"action":{"type":"string"},"endedAt":{"type":"integer"},"displayedMs":{"type":"integer","minimum":0}}},"now":{"type":"object","required":["end","shownAt"],"properties":{"shownAt":{"type":"array","items":{"type":"integer"},"description":"The times in ms since 1970."},"end":{"enum":["CLOSED","REFUSED","OPEN"]},"reason":{"type":"string"},"action":{"type":"string"},"endedAt":{"type":"integer"},"displayedMs":{"type":"integer","minimum":0}}}}}},"more":{"type":"integer","minimum":0,"description":"The number of further ones."},"notes":{"type":"array","items":{"type":"string"},"description":"What was compared, what is missing."}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"415":{"$ref":"#/components/responses/415"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/hooks/{name}":{"parameters":[{"name":"name","in":"path","required":true,"description":"The name of the token that has the hook.","schema":{"type":"string","minLength":1}}],"post":{"operationId":"takeHook","summary":"Takes the messages of another service: a webhook.","tags":["hooks"],"description":"Right: show, to close popups also dismiss.","requestBody":{"required":true,"content":{"*/*":{"schema":{}}}},"responses":{"202":{"description":"The popups of the messages.","content":{"application/json":{"schema":{"type":"object","required":["ids"],"properties":{"ids":{"type":"array","items":{"type":"string"}}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"408":{"$ref":"#/components/responses/408"},"409":{"$ref":"#/components/responses/409"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}},"/v1/session-cookie":{"get":{"operationId":"rights","summary":"Tells what the token may do.","tags":["session"],"description":"Right: any.","responses":{"200":{"description":"The rights of the token.","content":{"application/json":{"schema":{"type":"object","required":["name","rights"],"additionalProperties":false,"properties":{"name":{"type":"string","description":"The name of the token."},"rights":{"type":"object","additionalProperties":false,"description":"The names and patterns of each right that the token has.","properties":{"show":{"type":"array","items":{"type":"string"},"minItems":1},"update":{"type":"array","items":{"type":"string"},"minItems":1},"dismiss":{"type":"array","items":{"type":"string"},"minItems":1},"watch":{"type":"array","items":{"type":"string"},"minItems":1},"render":{"type":"array","items":{"type":"string"},"minItems":1},"events":{"type":"array","items":{"type":"string"},"minItems":1},"query":{"type":"array","items":{"type":"string"},"minItems":1},"control":{"type":"array","items":{"type":"string"},"minItems":1}}}}}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}},"post":{"operationId":"setCookie","summary":"Puts the token into a cookie, for the dashboard.","tags":["session"],"description":"Right: any.","responses":{"204":{"description":"The cookie is set."},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}},"delete":{"operationId":"removeCookie","summary":"Removes the cookie.","tags":["session"],"description":"Right: any.","responses":{"204":{"description":"The cookie is removed."},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"408":{"$ref":"#/components/responses/408"},"413":{"$ref":"#/components/responses/413"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"500":{"$ref":"#/components/responses/500"},"501":{"$ref":"#/components/responses/501"},"503":{"$ref":"#/components/responses/503"},"504":{"$ref":"#/components/responses/504"}}}}},"components":{"securitySchemes":{"token":{"type":"http","scheme":"bearer"},"cookie":{"type":"apiKey","in":"cookie","name":"popup"},"secureCookie":{"type":"apiKey","in":"cookie","name":"__Host-popup"}},"responses":{"400":{"description":"The request is malformed.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"401":{"description":"A token is needed.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"403":{"description":"The token lacks a right.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"404":{"description":"There is no such popup, or the token may not do this with it.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"408":{"description":"The request took too long to arrive.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"409":{"description":"The popup has changed.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"413":{"description":"The request is too large.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"415":{"description":"The body has another type than the request takes.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"421":{"description":"The gateway does not serve this host.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"422":{"description":"A value is invalid.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"429":{"description":"There are too many requests.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"500":{"description":"The gateway has failed; its log says why.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"501":{"description":"This version does not have it.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"503":{"description":"The broker is not reached, and nothing was sent; or the gateway ends while it holds the request.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"504":{"description":"The broker has not answered: not known.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}},"schemas":{"Problem":{"type":"object","required":["type","title","status","detail","reason"],"description":"What went wrong (RFC 9457).","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string","description":"A sentence that says what was wrong, and what to do."},"reason":{"type":"string","description":"The word of the protocol or of the gateway."},"retryAfterMs":{"type":"integer","description":"The time in ms after which the request may be sent again."},"sent":{"enum":[false,"unknown"],"description":"Whether the command was sent: false, or not known."},"id":{"type":"string","description":"The id of the popup, for a repetition."}}},"Action":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The id, which is returned in `dismiss.action`."},"label":{"type":"string","description":"The text that the user reads; at most 1000 bytes."}},"description":"An answer that the user can choose."},"Advance":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"The group; a name, not a pattern."}},"required":["group"],"description":"The end of the popup that the group shows, so that the next one is shown."},"Answer":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The popup."},"client":{"type":"string","description":"The renderer."},"accept":{"$ref":"#/components/schemas/Empty","description":"The popup is shown."},"veto":{"$ref":"#/components/schemas/Empty","description":"The popup closes."},"later":{"$ref":"#/components/schemas/Later","description":"The popup is offered again later."},"group":{"type":"string","description":"The group in which the sender believes the popup to be. If the popup is in another one, the command is refused `NOT_FOUND`; absent: any group."}},"required":["client"],"description":"The answer of a renderer to an offer."},"Batch":{"type":"object","additionalProperties":false,"properties":{"commands":{"type":"array","items":{"$ref":"#/components/schemas/Command"},"description":"The commands, applied in this order. A refused one does not hold back the others."}},"description":"Several commands in one frame, applied in their order. A refused one does not hold back the others."},"Cap":{"type":"object","additionalProperties":false,"properties":{"capKey":{"type":"string","description":"The cap key of the popups that count; absent: all popups of the group."},"most":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The greatest number of showings in a window, 1 to 10000."},"perMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The length of the window, at least 1. At most one cap per key and length."}},"description":"A cap: popups are shown at most `most` times in any window of `perMs`."},"Cause":{"type":"object","additionalProperties":false,"properties":{"kind":{"type":"string","enum":["UNSPECIFIED","QUEUED","OFFERED","SHOWN","PAUSED","RESUMED","UPDATED","CLOSED"],"description":"The event."},"popup":{"type":"string","description":"The popup of the event."},"reason":{"type":"string","enum":["UNSPECIFIED","DISMISSED","ADVANCED","TIMED_OUT","EXPIRED","PREEMPTED","REJECTED","SUPERSEDED","REPLACED","CLEARED","EVICTED","VETOED","UNANSWERED","UNMET","UNDISPLAYED","RENDERER_LOST","PAGE_CLOSED","SESSION_ENDED"],"description":"With `CLOSED`: the reason."},"action":{"type":"string","description":"With `CLOSED`: the user's action."}},"description":"The event that led to a state."},"Clear":{"type":"object","additionalProperties":false,"properties":{"selector":{"$ref":"#/components/schemas/Selector","description":"The popups that close, with the reason `CLEARED`. It must name something, or the command is refused `INVALID`; `{\"group\":\"*\"}` selects everything."}},"description":"The end of all selected popups (`CLEARED`). A selector that names nothing is refused; `{\"group\":\"*\"}` selects everything."},"Closed":{"type":"object","additionalProperties":false,"properties":{"reason":{"type":"string","enum":["UNSPECIFIED","DISMISSED","ADVANCED","TIMED_OUT","EXPIRED","PREEMPTED","REJECTED","SUPERSEDED","REPLACED","CLEARED","EVICTED","VETOED","UNANSWERED","UNMET","UNDISPLAYED","RENDERER_LOST","PAGE_CLOSED","SESSION_ENDED"],"description":"The reason."},"action":{"type":"string","description":"The user's action."},"displayedMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time for which it was active, without pauses; at most 4294967295."}},"description":"The event that a popup closed."},"ClosedCount":{"type":"object","additionalProperties":false,"properties":{"reason":{"type":"string","enum":["UNSPECIFIED","DISMISSED","ADVANCED","TIMED_OUT","EXPIRED","PREEMPTED","REJECTED","SUPERSEDED","REPLACED","CLEARED","EVICTED","VETOED","UNANSWERED","UNMET","UNDISPLAYED","RENDERER_LOST","PAGE_CLOSED","SESSION_ENDED"],"description":"The reason."},"count":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of popups that closed for this reason since the start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The number of popups that closed for one reason."},"Command":{"type":"object","additionalProperties":false,"properties":{"producer":{"type":"string","description":"The id of the sender for this run: 16 bytes as 32 hexadecimal digits. Needed for acknowledgements, quotas and selection by producer."},"sequence":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of the command within the producer: 1, 2, 3 …; 0: no acknowledgement. Needs `producer`. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"show":{"$ref":"#/components/schemas/Popup","description":"A request for a popup."},"update":{"$ref":"#/components/schemas/Update","description":"A change of a live popup in place."},"dismiss":{"$ref":"#/components/schemas/Dismiss","description":"The dismissal of a popup by the user or an administrator."},"advance":{"$ref":"#/components/schemas/Advance","description":"The end of the popup that the group shows; the next one follows."},"clear":{"$ref":"#/components/schemas/Clear","description":"The end of all selected popups."},"suspend":{"$ref":"#/components/schemas/Suspend","description":"A suspension, which holds popups back until its token is released."},"resume":{"$ref":"#/components/schemas/Resume","description":"The release of a suspension token."},"setPolicy":{"$ref":"#/components/schemas/SetPolicy","description":"A policy for a group or pattern, which replaces the earlier one."},"setSession":{"$ref":"#/components/schemas/SetSession","description":"A change of a group's session."},"report":{"$ref":"#/components/schemas/Report","description":"A report of a renderer about a popup."},"answer":{"$ref":"#/components/schemas/Answer","description":"The answer of a renderer to an offer."},"lease":{"$ref":"#/components/schemas/Lease","description":"A lease: the renderer is alive and shows these groups."},"page":{"$ref":"#/components/schemas/Page","description":"A change of a tree of pages."},"query":{"$ref":"#/components/schemas/Query","description":"A query, whose reply is published on `replies/CLIENT/NONCE/`."},"unsetPolicy":{"$ref":"#/components/schemas/UnsetPolicy","description":"The removal of the policy of a group or pattern."}},"description":"A command to the broker: a whole frame, or a part of a `Batch`."},"CommandCount":{"type":"object","additionalProperties":false,"properties":{"kind":{"type":"string","description":"The field of `Command`."},"count":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of committed commands since the start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The number of committed commands of one kind."},"CountQuery":{"type":"object","additionalProperties":false,"properties":{"selector":{"$ref":"#/components/schemas/Selector","description":"The popups; absent: all."}},"description":"The query for the number of live popups."},"DeniedCount":{"type":"object","additionalProperties":false,"properties":{"user":{"type":"string","description":"The user; absent for clients without a key."},"right":{"type":"string","description":"The right that was missing; absent for the use of another user's name."},"count":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of denials. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The number of denials of a user for one missing right."},"Dismiss":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The popup."},"action":{"type":"string","description":"The action of the user: the id of an action, `outside`, or a word of the application's own."},"revision":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The revision that it answers: if it is older than the popup's last activation or update, it is refused `STALE`. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"client":{"type":"string","description":"The renderer, for a quorum; absent: an administrator, whose dismissal closes the popup at once."},"group":{"type":"string","description":"The group in which the sender believes the popup to be. If the popup is in another one, the command is refused `NOT_FOUND`; absent: any group."}},"description":"The dismissal of a popup by the user, or by an administrator."},"Empty":{"type":"object","additionalProperties":false,"properties":{},"description":"A message without fields."},"EventCount":{"type":"object","additionalProperties":false,"properties":{"kind":{"type":"string","description":"The field of `Event`."},"count":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of events since the start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The number of events of one kind."},"ExplainQuery":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The popup."}},"description":"The query for the reason why a popup is where it is, or why it closed."},"ExplainResult":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The popup."},"phase":{"type":"string","enum":["UNKNOWN","DELAYED","WAITING","OFFERED","ACTIVE","PAUSED","CLOSED"],"description":"Its phase."},"rule":{"type":"string","description":"The rule that keeps it there: a word of the list below."},"blockers":{"type":"array","items":{"type":"string"},"description":"The popups or suspension tokens that hold it back."},"text":{"type":"string","description":"The same in a sentence."},"closed":{"$ref":"#/components/schemas/Closed","description":"With `CLOSED`: the reason, the action and the display time."},"group":{"type":"string","description":"Its group."},"by":{"type":"string","description":"With `CLOSED`: the popup that closed it, or the member whose end made its requirement fail, if there is one."},"closedAt":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"With `CLOSED`: the time of its end, in ms since 1970-01-01T00:00:00Z by the broker's wall clock as it is set now. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"remainingMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time until the rule may end without a command; absent if no time is set for that."},"ahead":{"type":"integer","minimum":0,"maximum":4294967295,"description":"With the rule `queue`: the number of popups of the queue that are ahead of it."},"requirement":{"$ref":"#/components/schemas/Requirement","description":"With the rule `requirement`: the member that has to close first, and how."},"cap":{"$ref":"#/components/schemas/Cap","description":"With the rule `cap`: the cap that is exhausted."},"page":{"$ref":"#/components/schemas/PageBinding","description":"With the rule `page`: the page on which it may be shown."},"session":{"type":"string","description":"With the rule `session`: the session in which it may be shown."},"rules":{"type":"array","items":{"$ref":"#/components/schemas/HoldingRule"},"description":"All rules that hold the popup back now, the decisive one first; empty if it is active, closed or unknown."},"user":{"type":"string","description":"The user that requested it, while it is live; absent for a client without a key."},"title":{"type":"string","description":"While it is live: its title, as in `PopupSummary`."},"excerpt":{"type":"string","description":"While it is live: the beginning of its text, as in `PopupSummary`."},"expiresMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"While it is live: the time until it expires, as in `PopupSummary`."}},"description":"The reply to `explain`."},"Flow":{"type":"object","additionalProperties":false,"properties":{"key":{"type":"string","description":"The key of the flow: popups of one group with one key are one flow; must not be empty."},"stage":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The stage; members are shown in ascending order."},"requires":{"$ref":"#/components/schemas/Requirement","description":"The member that must have closed before, and how."},"holdMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time for which the flow keeps the slot after this member closes."}},"required":["key"],"description":"The membership of a popup in a flow, a sequence of related popups."},"GroupCounts":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"The name."},"revision":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The revision, as in `GroupState`. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"active":{"type":"string","description":"The popup that has the slot; absent: none."},"offered":{"type":"boolean","description":"Whether this popup is offered, and not shown yet."},"waiting":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The number of waiting popups, delayed ones included."},"paused":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The number of paused popups."},"delayed":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The number of delayed popups."},"session":{"type":"string","description":"The session; absent: none."}},"description":"A group and the numbers of its popups."},"GroupState":{"type":"object","additionalProperties":false,"properties":{"epoch":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of the broker's start; it grows with every start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"group":{"type":"string","description":"The group."},"revision":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of changes of this state, +1 each. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"active":{"$ref":"#/components/schemas/Popup","description":"The whole popup that the group shows; absent: none."},"waiting":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The number of waiting popups of the group, including delayed ones."},"cause":{"$ref":"#/components/schemas/Cause","description":"The first event of the step that led to this revision; absent in a repetition."},"offered":{"type":"boolean","description":"Whether the active popup is only offered and not shown yet."},"paused":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The number of paused popups of the group."}},"description":"The state of a group: always complete, never a difference."},"GroupsQuery":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"A group or pattern; absent: all groups."},"after":{"type":"string","description":"The name after which the groups begin, in byte order."}},"description":"The query for the known groups."},"GroupsResult":{"type":"object","additionalProperties":false,"properties":{"groups":{"type":"array","items":{"$ref":"#/components/schemas/GroupCounts"},"description":"The groups in byte order of their names; at most `limits.queryResults`."},"truncated":{"type":"boolean","description":"Whether there are more: ask with `after` of the last one's `group`."}},"description":"The reply to `groups`."},"Histogram":{"type":"object","additionalProperties":false,"properties":{"buckets":{"type":"array","items":{"$ref":"#/components/schemas/HistogramBucket"},"description":"The buckets in the order of size; a duration is counted in the first one that it fits."},"count":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of durations. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"sumUs":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The sum of all durations in µs. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The durations since the start, by size."},"HistogramBucket":{"type":"object","additionalProperties":false,"properties":{"upToUs":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The longest duration of the bucket in µs; absent: any. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"count":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of durations in this bucket alone. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The durations of one size."},"HistoryQuery":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"The group or pattern of the popups; absent: all groups."},"limit":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The greatest number of popups; 0: as many as a reply can contain."}},"description":"The query for the popups that closed last."},"HoldingRule":{"type":"object","additionalProperties":false,"properties":{"rule":{"type":"string","description":"The rule: a word of the list."},"blockers":{"type":"array","items":{"type":"string"},"description":"The popups or suspension tokens that hold it back."},"text":{"type":"string","description":"The same in a sentence."},"remainingMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time until the rule may end without a command; absent if no time is set for that."},"ahead":{"type":"integer","minimum":0,"maximum":4294967295,"description":"With the rule `queue`: the number of popups of the queue that are ahead of it."},"requirement":{"$ref":"#/components/schemas/Requirement","description":"With the rule `requirement`: the member that has to close first, and how."},"cap":{"$ref":"#/components/schemas/Cap","description":"With the rule `cap`: the cap that is exhausted."},"page":{"$ref":"#/components/schemas/PageBinding","description":"With the rule `page`: the page on which it may be shown."},"session":{"type":"string","description":"With the rule `session`: the session in which it may be shown."}},"description":"A rule that holds a popup back. Its fields are those of `ExplainResult`."},"Later":{"type":"object","additionalProperties":false,"properties":{"retryMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time for which it is not eligible; absent: the group's `retryMs`."}},"description":"The answer that the popup should be offered again later."},"Lease":{"type":"object","additionalProperties":false,"properties":{"client":{"type":"string","description":"The renderer."},"groups":{"type":"array","items":{"type":"string"},"description":"The names or patterns of its groups, at most as many as the limit `groupsPerLease`; none: the lease ends at once."}},"required":["client","groups"],"description":"The statement of a renderer that it is alive, with the groups that it shows."},"LimitUse":{"type":"object","additionalProperties":false,"properties":{"limit":{"type":"string","description":"The key of the limit in the configuration, such as `limits.groups`."},"used":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of entries of the table that count towards the limit. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"most":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The limit. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The use of a limit."},"ListQuery":{"type":"object","additionalProperties":false,"properties":{"selector":{"$ref":"#/components/schemas/Selector","description":"The popups; absent: all."}},"description":"The query for live popups."},"ListResult":{"type":"object","additionalProperties":false,"properties":{"popups":{"type":"array","items":{"$ref":"#/components/schemas/PopupSummary"},"description":"The popups: groups in byte order; in each the active popup, the queue, then the delayed popups."},"truncated":{"type":"boolean","description":"Whether there were more than a reply can contain."}},"description":"The reply to `list`."},"OpenPage":{"type":"object","additionalProperties":false,"properties":{"node":{"type":"string","description":"The name of the page."},"parent":{"type":"string","description":"The page above; absent: the page is the root."},"value":{"type":"string","description":"The value, to which paths and bindings refer."}},"required":["node","value"],"description":"A new page of a tree."},"Page":{"type":"object","additionalProperties":false,"properties":{"tree":{"type":"string","description":"The tree."},"open":{"$ref":"#/components/schemas/OpenPage","description":"A new page."},"enter":{"$ref":"#/components/schemas/PageNode","description":"The page that becomes current."},"close":{"$ref":"#/components/schemas/PageNode","description":"The page that is removed, with the pages below it."},"clear":{"$ref":"#/components/schemas/Empty","description":"The removal of all pages."}},"required":["tree"],"description":"A change of a tree of pages."},"PageBinding":{"type":"object","additionalProperties":false,"properties":{"tree":{"type":"string","description":"The tree."},"value":{"type":"string","description":"The page's value."},"scope":{"type":"string","enum":["SCOPE_UNSPECIFIED","CURRENT","WITHIN"],"description":"The pages on which it is shown."}},"required":["tree","value"],"description":"The page of a tree to which a popup is bound."},"PageNode":{"type":"object","additionalProperties":false,"properties":{"node":{"type":"string","description":"The page."}},"required":["node"],"description":"A page of a tree."},"PathQuery":{"type":"object","additionalProperties":false,"properties":{"tree":{"type":"string","description":"The tree."},"node":{"type":"string","description":"The page; absent: the current one."},"except":{"type":"string","description":"The value of pages that are left out."},"separator":{"type":"string","description":"The text between the values, at most 16 bytes; absent: `/`."}},"required":["tree"],"description":"The query for the path to a page."},"PeekQuery":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"The group."}},"required":["group"],"description":"The query for the queue of a group."},"PeekResult":{"type":"object","additionalProperties":false,"properties":{"popups":{"type":"array","items":{"$ref":"#/components/schemas/PopupSummary"},"description":"The active popup, then the queue in its order, then the delayed popups in the order of their arrival."},"truncated":{"type":"boolean","description":"Whether there were more than a reply can contain."}},"description":"The reply to `peek`: the active popup first, then the queue in its order, then the delayed popups in the order of their arrival."},"PoliciesQuery":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"A group or pattern, for the one policy in force for it. Absent: every policy that is set, and the one of `*`."},"after":{"type":"string","description":"Without `group`: the name or pattern after which the policies begin, in byte order."}},"description":"The query for the policies in force."},"PoliciesResult":{"type":"object","additionalProperties":false,"properties":{"policies":{"type":"array","items":{"$ref":"#/components/schemas/PolicyInForce"},"description":"The policies in byte order of their groups and patterns; at most 100."},"truncated":{"type":"boolean","description":"Whether there are more: ask with `after` of the last one's `group`."}},"description":"The reply to `policies`."},"PolicyInForce":{"type":"object","additionalProperties":false,"properties":{"source":{"type":"string","enum":["UNSPECIFIED","DEFAULT","CONFIGURATION","CLIENT"],"description":"The origin of the policy."},"policy":{"$ref":"#/components/schemas/SetPolicy","description":"All rules that result from its preset and fields."}},"description":"A policy in force. `policy.group` is the name or pattern for which it was set. An absent `maxWaiting` or `pageTree` means none. `preset` is the preset with the same rules for newcomers; absent if none has them."},"Popup":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The permanent identity of the popup: at most 200 bytes without control characters. If absent, the broker makes one; such a popup cannot be sent again safely."},"group":{"type":"string","description":"The group that shows it; a name, not a pattern."},"priority":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"description":"The priority; higher is more urgent."},"durationMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The display time; 0: the group's `defaultDurationMs`. The group's `maxDurationMs` limits it."},"ttlMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time within which it must be shown first, or it closes `EXPIRED`; 0: no limit."},"delayMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time after which it arrives."},"minDisplayMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time before which neither a newcomer nor `advance` takes the slot."},"exclusive":{"type":"string","enum":["NONE","GROUP","ALL"],"description":"The popups that it closes when it arrives."},"collapseKey":{"type":"string","description":"The collapse key: a live popup of the group with the same key is replaced."},"interruptible":{"type":"boolean","description":"Whether a newcomer may stop or pause it; absent: true."},"text":{"type":"string","description":"The content as text."},"data":{"type":"string","format":"byte","description":"The content as bytes; in JSON as base64. One of `text` and `data`."},"contentType":{"type":"string","description":"The media type of `text` or `data`; passed on unchanged."},"actions":{"type":"array","items":{"$ref":"#/components/schemas/Action"},"maxItems":32,"description":"The answers that the user can choose; at most 32."},"presentation":{"$ref":"#/components/schemas/Presentation","description":"Hints for the renderer; passed on unchanged."},"flow":{"$ref":"#/components/schemas/Flow","description":"Its place in a sequence of related popups."},"page":{"$ref":"#/components/schemas/PageBinding","description":"The page to which it is bound."},"session":{"type":"string","description":"The session to which it is bound."},"surface":{"type":"string","description":"The part of the screen for it; used only by selectors."},"offerMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time for which it is offered to the renderers before it is shown; 0: the group's."},"quorum":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The number of renderers that have to dismiss it before it closes; 0: the group's `quorum`, or 1."},"quorumAll":{"type":"boolean","description":"Whether all live renderers have to dismiss it."},"capKey":{"type":"string","description":"The key of the caps against which it counts."},"language":{"type":"string","description":"The language of title, text and labels: a tag of BCP 47 such as `de-CH`, at most 35 bytes, as RFC 5646 recommends; passed on unchanged, so that a renderer can set `lang` and a screen reader can pronounce the text."},"remainingMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"Output only: the display time left; absent if it stays until it is dismissed."},"attempt":{"type":"integer","minimum":0,"maximum":4294967295,"description":"Output only: the number of times it has been shown, including this time; a resumption does not count."},"sinceRevision":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"Output only: the revision that made it active or last updated it; `dismiss.revision` must be at least this. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"by":{"type":"string","description":"Output only: the user that requested it; absent for a client without a key."}},"required":["group"],"description":"A request to show something to a user. With the output-only fields at its end, it is also the popup that a group shows."},"PopupSummary":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The popup."},"group":{"type":"string","description":"Its group."},"priority":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"description":"Its own priority, without aging or `ignorePriority`."},"phase":{"type":"string","enum":["UNKNOWN","DELAYED","WAITING","OFFERED","ACTIVE","PAUSED","CLOSED"],"description":"Its phase."},"surface":{"type":"string","description":"Its surface."},"collapseKey":{"type":"string","description":"Its collapse key."},"producer":{"type":"string","description":"The producer that requested it."},"attempt":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The number of times it has been shown."},"remainingMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"With `ACTIVE` and `PAUSED`: the display time left; absent if it stays until it is dismissed."},"delayMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"With `DELAYED`: the time until it arrives."},"by":{"type":"string","description":"The user that requested it; absent for a client without a key."},"title":{"type":"string","description":"Its title, shortened to 120 bytes."},"excerpt":{"type":"string","description":"The beginning of its text, of at most 120 bytes."},"expiresMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time until it closes (`EXPIRED`) if it is not shown before; absent if it does not, or was shown already."}},"description":"One popup in the reply to a query."},"Presentation":{"type":"object","additionalProperties":false,"properties":{"scene":{"type":"string","enum":["SCENE_UNSPECIFIED","CENTER","BOTTOM_SHEET","TOP_BAR","FULL_SCREEN"],"description":"The place on the screen."},"animation":{"type":"string","enum":["ANIMATION_UNSPECIFIED","NO_ANIMATION","FADE","SLIDE","ZOOM"],"description":"The way in which it appears and disappears."},"dismissOnOutside":{"type":"boolean","description":"Whether a touch outside dismisses it, with the action `outside`."},"countdown":{"type":"boolean","description":"Whether to show the time left."},"backdrop":{"type":"boolean","description":"Whether to dim everything behind it."},"cornerRadius":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The radius of the corners in the renderer's pixels."},"title":{"type":"string","description":"A line above the content."},"icon":{"type":"string","description":"A named icon or its URL."},"style":{"type":"string","description":"The style: `info`, `success`, `warning`, `error`, or a word of the application's own."}},"description":"Hints for the renderer. The broker passes them on unchanged."},"ProducersQuery":{"type":"object","additionalProperties":false,"properties":{"producer":{"type":"string","description":"A single producer, by its 32 hexadecimal digits; absent: all."},"after":{"type":"string","description":"The producer after which the producers begin, in byte order of their ids; empty: with the first one. Absent: the one that sent last is the first, and there are no further pages."},"limit":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The greatest number of producers; 0: as many as a reply can contain."}},"description":"The query for the producers whose sequences are remembered."},"Query":{"type":"object","additionalProperties":false,"properties":{"client":{"type":"string","description":"The client that asks: one segment of `A–Z a–z 0–9 . _ -`."},"nonce":{"type":"string","description":"The identity of this query, in the same grammar; a new one each time."},"list":{"$ref":"#/components/schemas/ListQuery","description":"The live popups that a selector selects."},"count":{"$ref":"#/components/schemas/CountQuery","description":"The number of live popups that a selector selects."},"peek":{"$ref":"#/components/schemas/PeekQuery","description":"The queue of a group in its order."},"explain":{"$ref":"#/components/schemas/ExplainQuery","description":"The reason why a popup is where it is, or why it closed."},"path":{"$ref":"#/components/schemas/PathQuery","description":"The path to a page."},"stats":{"$ref":"#/components/schemas/StatsQuery","description":"The broker's counters."},"whoami":{"$ref":"#/components/schemas/WhoamiQuery","description":"The user of the sender, and its rights."},"policies":{"$ref":"#/components/schemas/PoliciesQuery","description":"The policies in force."},"history":{"$ref":"#/components/schemas/HistoryQuery","description":"The popups that closed last."},"groups":{"$ref":"#/components/schemas/GroupsQuery","description":"The known groups and the numbers of their popups."},"suspensions":{"$ref":"#/components/schemas/SuspensionsQuery","description":"The suspensions in force."},"renderers":{"$ref":"#/components/schemas/RenderersQuery","description":"The renderers with a lease."},"producers":{"$ref":"#/components/schemas/ProducersQuery","description":"The producers whose sequences are remembered."}},"required":["client","nonce"],"description":"A query. Its `Reply` is published on `replies/CLIENT/NONCE/`."},"QuietWindow":{"type":"object","additionalProperties":false,"properties":{"from":{"type":"string","description":"The time at which it begins each day: `22:00`."},"to":{"type":"string","description":"The time at which it ends: `07:00`; on the next day if it is not after `from`. Differs from `from`."},"timeZone":{"type":"string","description":"The time zone of these times: a name of the time zone database, `Europe/Berlin`."},"minPriority":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"description":"The priority below which popups are not shown; absent: no popup is shown."}},"required":["from","to","timeZone"],"description":"A daily window that acts like a suspension: from \"22:00\" to \"07:00\" in the time zone \"Europe/Berlin\"."},"RefusedCount":{"type":"object","additionalProperties":false,"properties":{"reason":{"type":"string","enum":["UNSPECIFIED","MALFORMED","INVALID","TOO_LARGE","UNSUPPORTED","PERMISSION_DENIED","OVERLOAD","CONFLICT","STALE","NOT_FOUND","SEQUENCE_REUSED"],"description":"The reason."},"count":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of commands and frames refused for this reason since the start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The number of commands and frames that were refused for one reason."},"RenderersQuery":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"A group or pattern for which the renderers have a lease; absent: all."},"after":{"type":"string","description":"The client after which the renderers begin, in byte order of their names."}},"description":"The query for the renderers with a lease."},"Report":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The popup."},"client":{"type":"string","description":"The renderer."},"displayed":{"$ref":"#/components/schemas/Empty","description":"The popup is on the screen."},"visible":{"$ref":"#/components/schemas/Empty","description":"The user can see the popup."},"hidden":{"$ref":"#/components/schemas/Empty","description":"The user cannot see the popup."},"group":{"type":"string","description":"The group in which the sender believes the popup to be. If the popup is in another one, the command is refused `NOT_FOUND`; absent: any group."}},"required":["client"],"description":"A report of a renderer about a popup."},"Requirement":{"type":"object","additionalProperties":false,"properties":{"popup":{"type":"string","description":"The id of the member; not the popup's own."},"action":{"type":"string","description":"The action with which it must have closed; absent: any."}},"required":["popup"],"description":"The requirement that another member of the flow has closed."},"Resume":{"type":"object","additionalProperties":false,"properties":{"token":{"type":"string","description":"The name of the suspension; an unknown one has no effect."}},"required":["token"],"description":"The release of a suspension token."},"Selector":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"A name or a pattern; absent: every group."},"surface":{"type":"string","description":"The surface of the popups."},"collapseKey":{"type":"string","description":"The collapse key of the popups."},"producer":{"type":"string","description":"The producer of the popups."},"priorityBelow":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"description":"The priority strictly below which popups are selected."},"priorityAbove":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"description":"The priority strictly above which popups are selected."},"active":{"type":"boolean","description":"Whether active popups are selected. With none of `active`, `waiting`, `paused`, all three are."},"waiting":{"type":"boolean","description":"Whether waiting popups are selected, including delayed ones."},"paused":{"type":"boolean","description":"Whether paused popups are selected."}},"description":"A selection of popups. Each field that is set narrows it. With none of active, waiting and paused, all three are selected."},"SetPolicy":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"A name or a pattern: the exact name wins, then the pattern with the most segments, then `*`; nothing is inherited between them."},"preset":{"type":"string","enum":["UNSPECIFIED","PRIORITY","FIFO","LIFO","POLITE","STACKED"],"description":"The policy that the other fields change; absent: `PRIORITY`."},"higher":{"type":"string","enum":["UNSPECIFIED","STOP","PAUSE","DEFER","NEVER"],"description":"The effect of a newcomer of higher priority on the active popup."},"peers":{"type":"string","enum":["UNSPECIFIED","STOP","PAUSE","DEFER","NEVER"],"description":"The effect of a newcomer of the same priority."},"lower":{"type":"string","enum":["UNSPECIFIED","STOP","PAUSE","DEFER","NEVER"],"description":"The effect of a newcomer of lower priority."},"ignorePriority":{"type":"boolean","description":"Whether every priority counts as 0."},"resume":{"type":"string","enum":["UNSPECIFIED","REMAINING","RESTART"],"description":"The display time of a resumed popup."},"gapMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The gap between two popups; sets the next two fields to the same value."},"gapMinMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The shortest gap; each gap is drawn at random from this range."},"gapMaxMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The longest gap."},"gatherMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time for which the first member of a flow waits for the others."},"defaultDurationMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The display time of popups that set none; 0: until dismissed."},"maxDurationMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The longest display time of a popup; 0: no limit."},"clock":{"type":"string","enum":["UNSPECIFIED","DISPLAY","VISIBLE"],"description":"The time that counts as display time."},"offerMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time for which a popup is offered to the renderers before it is shown."},"offerDefault":{"type":"string","enum":["UNSPECIFIED","SHOW","CLOSE"],"description":"The outcome of an offer that is not answered."},"retryMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time for which a popup is not eligible after `later`; 5000 by default."},"displayTimeoutMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time within which a renderer must report `displayed`, at least 10; 0: no limit."},"undisplayed":{"type":"string","enum":["UNSPECIFIED","HOLD","SKIP","CLOSE"],"description":"The outcome if no renderer reports in this time."},"rendererLost":{"type":"string","enum":["UNSPECIFIED","HOLD","REQUEUE","CLOSE"],"description":"The outcome if the last renderer that displayed a popup disappears."},"maxAttempts":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The greatest number of showings of a popup, 1 to 100; 3 by default."},"quorum":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The number of renderers that have to dismiss a popup; 1 by default."},"caps":{"type":"array","items":{"$ref":"#/components/schemas/Cap"},"maxItems":16,"description":"The caps on showings; at most 16."},"quiet":{"type":"array","items":{"$ref":"#/components/schemas/QuietWindow"},"maxItems":16,"description":"The daily quiet windows; at most 16."},"maxWaiting":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The greatest number of waiting popups; absent: as many as the broker's limit allows."},"overflow":{"type":"string","enum":["UNSPECIFIED","REJECT_NEW","DROP_LOWEST","DROP_OLDEST"],"description":"The popup that gives way beyond that number."},"agingMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The time in which the priority of a waiting popup rises by one; 0: never."},"pageTree":{"type":"string","description":"The tree of pages whose path the events of the group carry."},"quorumAll":{"type":"boolean","description":"Whether all live renderers have to dismiss a popup."}},"required":["group"],"description":"The rules of a group, or of all groups of a pattern, as changes of a preset. They replace the earlier policy of the same `group` as a whole: an absent field is as in the preset, or as in `PRIORITY` without one."},"SetSession":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"The group."},"session":{"type":"string","description":"The session from now on."}},"required":["group"],"description":"A change of the group's session. The popups of the previous session close (`SESSION_ENDED`)."},"StatsQuery":{"type":"object","additionalProperties":false,"properties":{},"description":"The query for the broker's counters."},"StatsResult":{"type":"object","additionalProperties":false,"properties":{"epoch":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The broker's epoch. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"protocol":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The protocol's version: 1."},"version":{"type":"string","description":"The broker's version."},"uptimeMs":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The time since its start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"groups":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of known groups. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"popups":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of live popups. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"remembered":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of remembered ids of closed popups. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"commands":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of commands committed since its start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"refused":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of commands and frames refused since its start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"events":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of events since its start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"batches":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of commits since its start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"subscriptions":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of current subscriptions. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"producers":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of producers whose sequences are remembered. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"repetitions":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of commands that repeated a settled sequence. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"sequencesReused":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of different commands with a sequence that was settled already. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"connectionsCut":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of connections that the broker closed because of their messages, since its start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"rememberedWindowMs":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The time for which closed popups are remembered: all that closed within it; less than `deduplication.windowMs` while there are more ids than `deduplication.maxIDs`. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"turns":{"$ref":"#/components/schemas/TurnTimes","description":"The durations of turns of the event loop since its start; during a turn no other client is served."},"lateReports":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of reports dropped since its start, because their popup was not active, or not any more. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"journalFindings":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of damaged and missing parts of the journal that the start found; each is in the log, with severity critical. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"denied":{"type":"array","items":{"$ref":"#/components/schemas/DeniedCount"},"description":"The denials of users since its start. At most 1024 pairs of user and right are counted; the last entry, without user and right, counts all others."},"waiting":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of waiting popups, delayed ones included. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"paused":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of paused popups. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"renderers":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of known renderers. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"commandsByKind":{"type":"array","items":{"$ref":"#/components/schemas/CommandCount"},"description":"`commands` by kind: every kind but `query`, in the order of `Command`."},"eventsByKind":{"type":"array","items":{"$ref":"#/components/schemas/EventCount"},"description":"`events` by kind: every kind, in the order of `Event`."},"closed":{"type":"array","items":{"$ref":"#/components/schemas/ClosedCount"},"description":"Popups closed since its start, by reason: every reason."},"refusedByReason":{"type":"array","items":{"$ref":"#/components/schemas/RefusedCount"},"description":"`refused` by reason: every reason."},"commitTimes":{"$ref":"#/components/schemas/Histogram","description":"The durations of commits since its start; empty for a journal in memory."},"waitingTimes":{"$ref":"#/components/schemas/Histogram","description":"The times from the arrival of popups to their first showing, for those shown since its start."},"timerLateness":{"$ref":"#/components/schemas/Histogram","description":"The delays with which due timers were handled since its start: of those that were due together, the first."},"limits":{"type":"array","items":{"$ref":"#/components/schemas/LimitUse"},"description":"The use of every limit that bounds a table of the whole broker, waiting calls, and answers to `sync/…` that are sent or wait; on sockets also of connections, of the socket that has more, and of memory."},"journalBytes":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The size of the journal's files, looked up after commits and queries, at most once per second; absent for a journal in memory. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"snapshots":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of snapshots made since its start. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"lastSnapshotAt":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The time when the last of them was begun, in ms since 1970-01-01T00:00:00Z; absent if there is none. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"slowSubscribers":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The part of `connectionsCut` that was closed because memory was exhausted and the client did not read. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"gateway":{"type":"object","required":["version","whatIf"],"description":"What is known of the gateway.","properties":{"version":{"type":"string"},"whatIf":{"type":"boolean","description":"Whether it can compare policies."}}}},"description":"The reply to `stats`: the broker's counters."},"Suspend":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"A name or a pattern."},"token":{"type":"string","description":"The name of the suspension; the same token again replaces it."},"minPriority":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"description":"The priority below which popups are not shown; absent: no popup is shown."}},"required":["group","token"],"description":"A suspension: popups below `minPriority` (absent: all) are not shown in these groups until the token is released."},"Suspension":{"type":"object","additionalProperties":false,"properties":{"token":{"type":"string","description":"The token."},"group":{"type":"string","description":"The group or pattern."},"minPriority":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"description":"The priority below which popups are held back; absent: all popups are."},"since":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The time at which it was set, as in events, in ms since 1970; absent if an earlier version has set it. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"by":{"type":"string","description":"The user that set it; absent for a client without a key."}},"description":"A suspension in force."},"SuspensionsQuery":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"A group or pattern to which the suspensions apply; absent: all."},"after":{"type":"string","description":"The token after which the suspensions begin, in byte order."}},"description":"The query for the suspensions in force."},"SuspensionsResult":{"type":"object","additionalProperties":false,"properties":{"suspensions":{"type":"array","items":{"$ref":"#/components/schemas/Suspension"},"description":"The suspensions in byte order of their tokens; at most `limits.queryResults`."},"truncated":{"type":"boolean","description":"Whether there are more: ask with `after` of the last one's `token`."}},"description":"The reply to `suspensions`."},"TurnTimes":{"type":"object","additionalProperties":false,"properties":{"count":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of turns. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"medianUs":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The time that half of the turns did not exceed, in µs; exact within an eighth. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"p99Us":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The time that 99 of 100 turns did not exceed, in µs; exact within an eighth. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"longestUs":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The longest turn, in µs. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"long":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The number of turns that took longer than 20 ms. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},"buckets":{"type":"array","items":{"$ref":"#/components/schemas/HistogramBucket"},"description":"The turns by duration, as in `Histogram`."},"sumUs":{"type":["string","integer"],"pattern":"^[0-9]{1,20}$","minimum":0,"description":"The sum of all durations in µs. 64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."}},"description":"The durations of turns in µs. Quantiles are exact within an eighth."},"UnsetPolicy":{"type":"object","additionalProperties":false,"properties":{"group":{"type":"string","description":"The name or pattern for which the policy was set."}},"required":["group"],"description":"The removal of the policy of a group or pattern. If the configuration has one for it, that policy is in force again."},"Update":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","description":"The popup; it must be live."},"priority":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"description":"The new priority, which moves it in the queue; preemption is judged again."},"durationMs":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The new display time; 0: the group's default."},"restartTimer":{"type":"boolean","description":"Whether the display time starts over."},"text":{"type":"string","description":"The new content as text."},"data":{"type":"string","format":"byte","description":"The new content as bytes."},"contentType":{"type":"string","description":"The new type."},"actions":{"type":"array","items":{"$ref":"#/components/schemas/Action"},"maxItems":32,"description":"The new actions, which replace all others if there are any."},"presentation":{"$ref":"#/components/schemas/Presentation","description":"The new presentation, which replaces the old one as a whole."},"interruptible":{"type":"boolean","description":"Whether a newcomer may stop or pause it from now on."},"group":{"type":"string","description":"The group in which the sender believes the popup to be. If the popup is in another one, the command is refused `NOT_FOUND`; absent: any group."}},"description":"A change of a live popup in place. An absent field is not changed."},"WhoamiQuery":{"type":"object","additionalProperties":false,"properties":{},"description":"The query for the user of the sender and its rights. It needs no right."}}}}
"""##,
    ]
}
