// The overlay page: one <popup-screen> over everything, set by the address. The token stands in the fragment, which no
// server sees: /overlay/lobby?theme=dark&mode=render#token=pg_…
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
