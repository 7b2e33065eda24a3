internal import Foundation
internal import PopupGateway
internal import Supervision

/// The directory of the overlay's themes: files of CSS, each with the name of its theme.
enum ThemesDirectory {
    private typealias Mistake = GatewayConfiguration.Mistake

    private static let maxThemes = 100
    private static let maxBytes = 64 * 1024
    /// The themes that the overlay has without files.
    private static let builtIn = ["light", "dark"]

    /// Reads the themes in a directory, by name. Other files than those of CSS are skipped, and hidden ones, such as
    /// editors and macOS make beside a file.
    ///
    /// - Throws: `GatewayConfiguration.Mistake`.
    static func themes(at path: String) throws(GatewayConfiguration.Mistake) -> [String: OverlayTheme] {
        guard !path.isEmpty else { return [:] }
        let files: [String]
        do { files = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw Mistake(
                "`overlay.themes` is `\(path)`, which cannot be read; it must be a directory: "
                    + error.localizedDescription)
        }
        let names = files.filter { $0.hasSuffix(OverlayTheme.fileSuffix) && !$0.hasPrefix(".") }.sorted()
        guard names.count <= maxThemes else {
            throw Mistake("`overlay.themes` has \(names.count) files of CSS; it can have \(maxThemes)")
        }
        var themes: [String: OverlayTheme] = [:]
        for file in names {
            let name = String(file.dropLast(OverlayTheme.fileSuffix.count))
            guard name.utf8.allSatisfy(isPartOfName), !builtIn.contains(name) else {
                throw Mistake(
                    "`overlay.themes` has `\(file)`, which cannot be a theme: name it with A–Z a–z 0–9 _ -, and not "
                        + builtIn.joined(separator: " or "))
            }
            let theme = ServiceFile("\(path)/\(file)", largestSize: maxBytes)
            do throws(ServiceFile.Mistake) {
                // All are read again on SIGHUP.
                try theme.requireRereadable()
                themes[name] = OverlayTheme(try theme.text())
            } catch {
                throw Mistake("the file `\(file)` of `overlay.themes` \(error)")
            }
        }
        return themes
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
