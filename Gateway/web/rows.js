// Tables whose rows are patched by key: what has the focus stays where it is.

export const byId = id => document.getElementById(id);

/** Sets the text of an element, if it is another one. */
export const setText = (element, text) => {
    if (element.textContent !== String(text)) element.textContent = text;
};

/** Returns a time that is left, in words; nothing for none. */
export const timeLeft = ms => {
    if (ms === undefined) return "";
    const seconds = Math.max(0, Math.ceil(ms / 1000));
    return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
};

export const makeButton = (label, description, act, className = "") => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: label, className });
    if (description) button.setAttribute("aria-label", description);
    if (act) button.addEventListener("click", act);
    return button;
};

/** The rows of a table. */
export class Rows {
    #body;
    #make;
    #observer;
    #rows = new Map();

    /**
     * `make(key)` returns the cells of a new row and `patch(value)`, which shows a value in them. `observer`, if there is
     * one, observes each row as long as the table has it; the row's `key` says which one it is.
     */
    constructor(table, make, observer = null) {
        this.#body = table.tBodies[0];
        this.#make = make;
        this.#observer = observer;
    }

    has(key) { return this.#rows.has(key); }
    get size() { return this.#rows.size; }
    /** The keys in the order of the rows. */
    get keys() { return [...this.#body.rows].map(({ key }) => key); }

    /** Shows a value in its row, which stands in the order of `compare` when it is new. */
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
            this.#observer?.observe(element);
        }
        row.value = value;
        row.patch(value);
    }

    /** Removes a row. The focus that was in it goes to the next one. */
    delete(key) {
        const element = this.#rows.get(key)?.element;
        if (!element) return;
        this.#rows.delete(key);
        this.#observer?.unobserve(element);
        const hadFocus = element.contains(document.activeElement);
        const neighbour = element.nextElementSibling ?? element.previousElementSibling;
        element.remove();
        if (hadFocus) (neighbour?.querySelector("button") ?? this.#body.closest("[tabindex]"))?.focus();
    }

    /** Shows these values and no others. */
    replace(entries, compare) {
        const keys = new Set(entries.map(([key]) => key));
        for (const key of [...this.#rows.keys()]) if (!keys.has(key)) this.delete(key);
        // New rows find their place among the present values of the others.
        const [known, added] = [true, false].map(isKnown => entries.filter(([key]) => this.has(key) === isKnown));
        for (const [key, value] of [...known, ...added]) this.set(key, value, compare);
    }

    /** Brings the rows into an order. The one with the focus stays, and the others move: it keeps focus and caret. */
    sort(compare) {
        const rows = [...this.#body.rows].sort((a, b) => compare(this.#value(a), this.#value(b)));
        const place = rows.findIndex(row => row.contains(document.activeElement));
        if (place < 0) return this.#body.append(...rows);
        rows[place].before(...rows.slice(0, place));
        rows[place].after(...rows.slice(place + 1));
    }

    /** Sorts again after a change, but moves no row while a user is at one. Returns whether they are in the order. */
    keepOrder(compare) {
        if (this.#isSorted(compare)) return true;
        if (this.#body.matches(":focus-within, :hover")) return false;
        this.sort(compare);
        return true;
    }

    #isSorted(compare) {
        const values = [...this.#body.rows].map(row => this.#value(row));
        return values.every((value, place) => !place || compare(values[place - 1], value) <= 0);
    }

    /** Shows each value again: times go on. */
    refresh() {
        for (const { patch, value } of this.#rows.values()) patch(value);
    }

    #value(element) { return this.#rows.get(element.key)?.value; }
}
