import Foundation
import Testing

@Suite("popup-broker keys")
struct KeysTests {
    @Test("new writes a file that is its owner's alone and prints the public key, which public prints again")
    func new() async throws {
        let folder = try TemporaryFile("")
        let path = folder.path + ".key"
        let made = try await Program.run("keys", "new", "--output", path)
        #expect(made.status == 0)
        #expect(made.errors == [])
        #expect(made.output.count == 1)
        #expect(made.output.first?.utf8.count == 40)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)

        let again = try await Program.run("keys", "public", path)
        #expect(again.status == 0)
        #expect(again.output == made.output)

        let overwritten = try await Program.run("keys", "new", "--output", path)
        #expect(overwritten.status == 73)
        #expect(
            overwritten.errors == [
                "popup-broker: \(path) exists, and a key is never overwritten; name another file or move this one away"
            ])
        #expect(try await Program.run("keys", "public", path).output == made.output)
    }

    @Test("new without a file prints it; each key is another")
    func printed() async throws {
        let (one, other) = (try await Program.run("keys", "new"), try await Program.run("keys", "new"))
        #expect(one.status == 0)
        #expect(one.output != other.output)
        let file = try TemporaryFile(one.output.joined(separator: "\n"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let publicKey = try await Program.run("keys", "public", file.path)
        #expect(publicKey.status == 0)
        #expect(one.output.contains("    public-key = \"\(publicKey.output.first ?? "")\""))
    }

    @Test("A secret key that others can read: exit 77; what is none: 65; nothing there: 66")
    func bad() async throws {
        let file = try TemporaryFile(try await Program.run("keys", "new").output.joined(separator: "\n"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let open = try await Program.run("keys", "public", file.path)
        #expect(open.status == 77)
        #expect(open.output == [])
        #expect(
            open.errors == [
                "popup-broker: \(file.path) holds a secret key, but its mode 0644 lets others use it; run "
                    + "`chmod 600 \(file.path)`, and make a new key if another user may have read it"
            ])
        try file.write("no key")
        #expect(try await Program.run("keys", "public", file.path).status == 65)
        #expect(try await Program.run("keys", "public", file.path + ".not").status == 66)
    }
}
