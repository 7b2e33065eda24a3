// The overlay page: one <popup-screen> over everything, set by the address. The token stands in the fragment, which no
// server sees: /overlay/lobby?theme=dark&mode=render#token=pg_…
const page = document.documentElement;
const query = new URLSearchParams(location.search);
const secret = new URLSearchParams(location.hash.slice(1));
const screen = document.createElement("popup-screen");
const groups = query.getAll("group");
const path = location.pathname.match(/\/overlay\/(.+)$/);
try {
    if (path) groups.push(decodeURIComponent(path[1]));
} catch {
    // What is no text names no group.
}
const settings = JSON.parse(page.dataset.settings || "{}");
for (const name of ["theme", "mode", "client", "corner", "offer", "extend"]) {
    if (query.has(name)) settings[name] = query.get(name);
}
/** Loads a style sheet, again and again until it is there: a page that is one file may be there before the gateway. */
const loadSheet = (href, failures = 0) => {
    const sheet = document.createElement("link");
    Object.assign(sheet, { rel: "stylesheet", href });
    sheet.addEventListener("error", () => {
        sheet.remove();
        const most = Math.min(30_000, 2000 * 2 ** failures);
        setTimeout(() => loadSheet(href, failures + 1), most * (0.5 + Math.random() / 2));
    });
    document.head.append(sheet);
};
// Other themes than these two are style sheets of the gateway (`overlay.themes`).
if (settings.theme && !["light", "dark"].includes(settings.theme)) {
    const source = (settings.src ?? "").replace(/\/$/, "");
    loadSheet(`${source}/themes/${encodeURIComponent(settings.theme)}.css`);
}
if (groups.length) settings.group = groups.join(" ");
if (secret.has("token")) settings.token = secret.get("token");
for (const name of ["group", "src", "token", "theme", "mode", "client", "corner", "offer", "extend", "image-hosts"]) {
    if (settings[name]) screen.setAttribute(name, settings[name]);
}
window.addEventListener("hashchange", () => {
    screen.setAttribute("token", new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
});
if (!settings.group?.trim()) document.body.append("This address names no group. Write /overlay/GROUP.");
document.body.append(screen);
