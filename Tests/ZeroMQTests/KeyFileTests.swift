import Foundation
import Testing
import ZeroMQ

@Suite("Key files")
struct KeyFileTests {
    private static let publicText = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
    private static let secretText = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
    private static let otherText = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

    /// A directory of its own, which goes with the test.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.path)
    }

    private func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Why a use of a key file fails.
    private func cause(of use: () throws(KeyFile.Failure) -> Void) -> KeyFile.Failure.Cause? {
        do throws(KeyFile.Failure) {
            try use()
            return nil
        } catch {
            return error.cause
        }
    }

    @Test("A certificate is read as it was written, with and without its secret half")
    func certificates() throws {
        let keys = try CurveKeyPair.random()
        let certificate = KeyCertificate(keys)
        #expect(try KeyCertificate(certificate.text) == certificate)
        let publicLines = certificate.text.split(separator: "\n").filter { !$0.contains("secret-key") }
        let half = try KeyCertificate(publicLines.joined(separator: "\n"))
        #expect(half.publicKey == keys.publicKey)
        #expect(half.secretKey == nil)
    }

    @Test("What pyzmq and CZMQ write is read, whatever else it says")
    func foreign() throws {
        let certificate = try KeyCertificate(
            """
            #   ****  Generated on 2026-11-22 19:00:00 by pyzmq  ****
            #   ZeroMQ CURVE **Secret** Certificate

            metadata\r
                name = "freight"
                public-key = "not one of a key"
            curve
                public-key = "\(Self.publicText)"
                secret-key = '\(Self.secretText)' # its own
                purpose = "test"
            """)
        #expect(certificate.publicKey.description == Self.publicText)
        #expect(certificate.secretKey?.text == Self.secretText)
    }

    @Test("A public key alone is read")
    func bare() throws {
        let certificate = try KeyCertificate("# the broker's\n\(Self.publicText)\n")
        #expect(certificate.publicKey.description == Self.publicText)
        #expect(certificate.secretKey == nil)
    }

    @Test(
        "Every mistake is found, with its line",
        arguments: [
            ("", .noPublicKey), ("curve\n", .noPublicKey), ("public-key = \"\(publicText)\"", .noPublicKey),
            ("curve\n  secret-key = \"\(secretText)\"", .noPublicKey),
            ("curve\n  public-key = \"short\"", .key(2)), ("curve\n  public-key = \(publicText)", .key(2)),
            ("curve\n  public-key = \"\(publicText)\n", .key(2)),
            ("curve\n  public-key = \"\(publicText)\"\n  public-key = \"\(otherText)\"", .key(3)),
            ("curve\n\n  public key = \"\(publicText)\"", .line(3)), ("\u{0}", .line(1)),
            ("curve\n  public-key = \"\(otherText)\"\n  secret-key = \"\(secretText)\"", .mismatch),
        ] as [(String, KeyCertificate.Mistake)])
    func mistakes(_ text: String, _ mistake: KeyCertificate.Mistake) {
        #expect(throws: mistake) { _ = try KeyCertificate(text) }
    }

    @Test("A new file is its owner's alone, and never replaces another")
    func creation() throws {
        try withDirectory { directory in
            let path = "\(directory)/broker.key"
            let keys = try CurveKeyPair.random()
            try KeyFile(path).create(keys)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect(try KeyFile(path).keyPair() == keys)
            let failure = #expect(throws: KeyFile.Failure.self) { try KeyFile(path).create(.random()) }
            #expect(failure?.cause == .exists)
            #expect(try KeyFile(path).publicKey() == keys.publicKey)
        }
    }

    @Test("A secret key that others can read or write is refused", arguments: [0o640, 0o604, 0o620, 0o602, 0o601])
    func openToOthers(_ mode: Int) throws {
        try withDirectory { directory in
            let path = "\(directory)/broker.key"
            try write(KeyCertificate(try .random()).text, to: path, mode: mode)
            #expect(cause(of: { () throws(KeyFile.Failure) in _ = try KeyFile(path).keyPair() }) == .openToOthers)
            #expect(cause(of: { () throws(KeyFile.Failure) in _ = try KeyFile(path).publicKey() }) == .openToOthers)
            try write(Self.publicText, to: path, mode: mode)
            #expect(try KeyFile(path).publicKey().description == Self.publicText)
        }
    }

    @Test(
        "A file that is no certificate or has no secret key is told with its path, without its content",
        arguments: [
            publicText, "curve\n  public-key = \"\(otherText)\"\n  secret-key = \"\(secretText)\"",
            String(repeating: "#", count: 20_000),
        ])
    func otherContent(_ text: String) throws {
        try withDirectory { directory in
            let path = "\(directory)/freight.key"
            try write(text, to: path)
            let failure = #expect(throws: KeyFile.Failure.self) { try KeyFile(path).keyPair() }
            #expect(failure?.cause == .content)
            #expect(failure?.description.contains(path) == true)
            #expect(failure?.description.contains(Self.secretText) == false)
        }
    }

    @Test("A file that is not there, and a directory, cannot be read")
    func unreadable() throws {
        try withDirectory { directory in
            for path in [directory, "\(directory)/none.key"] {
                let failure = #expect(throws: KeyFile.Failure.self) { try KeyFile(path).publicKey() }
                #expect(failure?.cause == .unreadable)
            }
        }
    }
}
