import Foundation
import SchemaReading

/// The tables of a Markdown document: each by the nearest heading above it and the first word of its head.
struct DocumentedTables {
    struct Table {
        var heading: String
        var columns: [String]
        var rows: [[String]]
    }

    private(set) var tables: [Table] = []
    /// The lines of its fenced blocks that are JSON objects.
    private(set) var jsonLines: [String] = []

    init(path: String) throws {
        let text = try String(contentsOf: packageRoot.appending(path: path), encoding: .utf8)
        var heading = ""
        var inTable = false
        var fenced = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { fenced.toggle() }
            if fenced {
                if line.hasPrefix("{") { jsonLines.append(String(line)) }
                continue
            }
            if line.hasPrefix("#") { heading = Self.plain(line.drop { $0 == "#" }) }
            guard line.hasPrefix("|") else {
                inTable = false
                continue
            }
            let cells = line.split(separator: "|").map(Self.plain)
            if !inTable {
                tables.append(Table(heading: heading, columns: cells, rows: []))
            } else if !line.hasPrefix("| ---") {
                tables[tables.count - 1].rows.append(cells)
            }
            inTable = true
        }
    }

    /// The rows of the tables whose first column has this name, by their headings.
    func rows(firstColumn: String) -> [String: [[String]]] {
        Dictionary(tables.filter { $0.columns[0] == firstColumn }.map { ($0.heading, $0.rows) }) { $0 + $1 }
    }

    private static func plain(_ text: some StringProtocol) -> String {
        text.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
    }
}
