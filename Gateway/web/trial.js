// The form that tries another policy on what the broker has committed.
import { byId, setText } from "./rows.js";

const time = ms => new Date(ms).toLocaleTimeString();
const changes = {
    EARLIER: ({ shownLaterMs }) => `shown ${-shownLaterMs} ms earlier`,
    LATER: ({ shownLaterMs }) => `shown ${shownLaterMs} ms later`,
    NEVER: () => "never shown",
    ONLY_NOW: () => "shown, and was not",
    MORE_OFTEN: ({ now }) => `shown ${now.shownAt.length} times`,
    LESS_OFTEN: ({ now }) => `shown ${now.shownAt.length} times`,
    ENDS_DIFFERENTLY: ({ now }) => `ends ${[now.reason ?? now.end, now.action].filter(Boolean).join(" ")}`,
};
const outcome = ({ shownAt, end, reason, action }) =>
    [shownAt.length ? `shown ${shownAt.map(time).join(", ")}` : "not shown", reason ?? end, action].filter(Boolean).join(" · ");

/** Sets the form up. `api`: `ask(path, body)`. */
export const setUpTrial = api => {
    const form = byId("trial");
    const [submit] = form.getElementsByTagName("button");
    form.addEventListener("submit", async event => {
        event.preventDefault();
        const { group, preset, maxWaiting, gapMs, fields, since } = Object.fromEntries(new FormData(form));
        let others = {};
        try { if (fields.trim()) others = JSON.parse(fields); } catch {
            setText(byId("trial-summary"), "The other fields are not JSON; write them as {\"name\": value}.");
            return;
        }
        const policy = {
            group, preset, ...(maxWaiting && { maxWaiting: Number(maxWaiting) }), ...(gapMs && { gapMs: Number(gapMs) }),
            ...others,
        };
        submit.disabled = true;
        setText(byId("trial-summary"), "Comparing …");
        const { result, problem } = await api.ask(`/v1/what-if?since=${since}`, policy);
        submit.disabled = false;
        show(result ?? { differences: [], more: 0, notes: [] }, problem);
    });
};

const show = ({ differences, more, notes }, problem) => {
    byId("differences").hidden = !differences.length;
    byId("differences").tBodies[0].replaceChildren(...differences.map(difference => {
        const row = document.createElement("tr");
        const name = document.createElement("th");
        name.scope = "row";
        name.textContent = difference.content || difference.popup;
        row.append(name);
        const words = difference.changes.map(change => changes[change]?.(difference) ?? change).join("; ");
        for (const text of [difference.group, words, outcome(difference.was)]) row.insertCell().textContent = text;
        return row;
    }));
    byId("trial-notes").replaceChildren(...notes.map(note => {
        const item = document.createElement("li");
        item.textContent = note;
        return item;
    }));
    setText(byId("trial-summary"), problem ?? (!differences.length ? "No popup's outcome would differ."
        : `Popups whose outcome would differ: ${differences.length}${more ? `, and ${more} more` : ""}`));
    byId("trial-summary").focus();
};
