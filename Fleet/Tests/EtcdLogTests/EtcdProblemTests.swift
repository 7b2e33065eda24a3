import Foundation
import PopupJournal
import Testing

@testable import EtcdLog

private let owner = LogOwner(high: 1, low: 10)

/// Returns the words of the TLS library for an error of BoringSSL.
private func tls(_ name: String) -> String {
    "sslError([Error: 1 error:1000007d:SSL routines:OPENSSL_internal:\(name) at /src/handshake.cc:297])"
}

extension EtcdTests {
    /// An etcd that cannot be used is told of in one sentence.
    @Suite(.timeLimit(.minutes(10))) struct EtcdProblemTests {
        @Test func `an etcd that is not there`() async throws {
            let log = try EtcdLog(
                EtcdSettings(endpoints: ["http://127.0.0.1:\(Ports.free(1)[0])"], shard: "main", node: "a"))
            defer { log.close() }

            await #expect {
                try await log.check()
            } throws: {
                ($0 as? EtcdProblem)?.description.hasPrefix("no etcd answers: http://127.0.0.1:") == true
                    && ($0 as? EtcdProblem)?.exitCode == 69
            }
        }

        @Test func `a log that nobody created, and one that cannot be read`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            await #expect(throws: EtcdProblem.missing("main")) { try await log.check() }
            try await log.check(isCreated: false)
            #expect(EtcdProblem.missing("main").exitCode == 66)

            try etcd.control(["put", "/popup-broker/v1/main/live/head", "something"])

            await #expect(throws: EtcdProblem.unreadable("a record of the shared log is damaged")) {
                try await log.check()
            }
            await #expect(throws: SharedLogError.unreadable(.damaged)) { try await log.head() }
        }

        @Test func `an etcd that takes small requests only`() async throws {
            let etcd = try await EtcdServers(options: ["--max-request-bytes", "100000"])
            let log = try etcd.log()
            defer { log.close() }
            try await log.create(wall: 1, time: 1)

            await #expect(throws: EtcdProblem.tooSmall(EtcdLimits.entryBytes)) { try await log.check() }
        }

        @Test(arguments: [
            ("3.4.23", true), ("3.5.0", true), ("4.0.0", true), ("3.3.99", false), ("2.9.9", false), ("x", false),
        ])
        func `versions since 3.4 will do`(version: String, isEnough: Bool) {
            #expect(EtcdLimits.isEnough(version) == isEnough)
        }

        @Test(arguments: [
            "", "127.0.0.1:2379", "http://127.0.0.1", "http://:2379", "http://a:0", "http://a:99999", "ftp://a:1",
        ])
        func `what is no endpoint`(text: String) {
            #expect(throws: EtcdProblem.self) { try EtcdEndpoint(text) }
        }

        @Test(
            arguments: [
                (.setting("x"), 64), (.unreadable("x"), 65), (.missing("x"), 66), (.none("x"), 66), (.absent("x"), 69),
                (.exists("x"), 73), (.full, 75), (.busy("x"), 75), (.forbidden("x"), 77), (.tooOld("3.3"), 78),
                (.tooSmall(1), 78),
            ] as [(EtcdProblem, Int32)])
        func `each problem has its exit code, and a sentence`(problem: EtcdProblem, code: Int32) {
            #expect(problem.exitCode == code)
            #expect(!problem.description.isEmpty && !problem.description.contains("\n"))
        }

        @Test(
            arguments: [
                ("https", tls("CERTIFICATE_VERIFY_FAILED"), "its certificate has expired, or is not of the given CA"),
                (
                    "https", tls("SSLV3_ALERT_BAD_CERTIFICATE"),
                    "it refuses the given certificate, which may have expired, or is not of its CA "
                        + "(SSLV3_ALERT_BAD_CERTIFICATE)"
                ),
                ("https", tls("WRONG_VERSION_NUMBER"), "it does not speak TLS: give http if that is meant"),
                ("https", tls("NO_SHARED_CIPHER"), "TLS fails with NO_SHARED_CIPHER"),
                (
                    "https", "sslError([Error:  EOF during handshake])",
                    "it ends the connection during the TLS handshake: if it does not speak TLS, give http"
                ),
                ("https", "NIOSSLExtraError.failedToValidateHostname: no a", "its certificate is not for a"),
                ("https", nil, "it ends each connection before it says anything"),
                ("http", nil, "it ends each connection before it says anything: if it speaks TLS, give https"),
            ] as [(String, String?, String)])
        func `why a connection cannot be used`(scheme: String, cause: String?, message: String) throws {
            let words =
                "Channel is in a transient failure state and 'wait for ready' isn't enabled. The server accepted the TCP "
                + "connection but closed the connection before completing the HTTP/2 connection preface."

            #expect(try EtcdFailure.message(words, cause: cause, at: EtcdEndpoint("\(scheme)://a:1")) == message)
        }

        @Test(
            arguments: [
                (
                    "Could not establish a connection to [ipv4]127.0.0.1:1.",
                    "connection reset (error set): Connection refused) (errno: 111)", "Connection refused"
                ),
                ("Failed to resolve server name", "internalError: \"…\"", "the name a is not known"),
                ("RPC timed out before completing", nil, "RPC timed out before completing"),
                ("The TCP connection was dropped.", "one\ntwo", "The TCP connection was dropped: one two"),
                ("", nil, ""),
            ] as [(String, String?, String)])
        func `what the library says of a call is one line`(words: String, cause: String?, message: String) throws {
            #expect(try EtcdFailure.message(words, cause: cause, at: EtcdEndpoint("http://a:1")) == message)
        }

        @Test func `settings that do not fit`() throws {
            func problem(_ endpoints: [String], shard: String = "main", lease: Int = 4) -> String? {
                do {
                    _ = try EtcdSettings(endpoints: endpoints, shard: shard, node: "a", leaseSeconds: lease)
                    return nil
                } catch {
                    return error.description
                }
            }

            #expect(problem([]) == "there is no endpoint of etcd")
            #expect(problem(["http://a:1", "https://b:1"]) == "the endpoints of etcd are partly http and partly https")
            #expect(problem(["https://b:1"]) == "https needs a CA, a certificate and a key")
            #expect(
                problem(["http://a:1"], shard: "a/b")
                    == "“a/b” is not a valid shard name: 1 to 64 letters, digits, “-”, “_”, “.”")
            #expect(problem(["http://a:1"], lease: 1) == "a lease lasts 2 to 60 s, not 1")
            #expect(problem(["http://a:1", "http://[::1]:2"]) == nil)
            #expect(try EtcdEndpoint("http://[::1]:2").description == "http://[::1]:2")
        }
    }

    /// TLS with client certificates, made by openssl, and the rights of the certificate's name.
    @Suite(.timeLimit(.minutes(10))) struct EtcdCertificateTests {
        private func certificates() throws -> URL {
            let folder = FileManager.default.temporaryDirectory.appending(path: "certificates-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let script = """
                set -e
                openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority
                for name in server root node reader stranger; do
                  openssl req -newkey rsa:2048 -nodes -keyout $name.key -out $name.csr -subj /CN=$name
                  printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\\nextendedKeyUsage=serverAuth,clientAuth\\n' > $name.ext
                  openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $name.pem -days 2 \
                    -extfile $name.ext
                done
                """
            let process = Process()
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", script]
            process.currentDirectoryURL = folder
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            return folder
        }

        private func log(
            _ etcd: EtcdServers, _ folder: URL, as name: String, shard: String = "main"
        ) throws -> EtcdLog {
            func file(_ name: String) -> String { folder.appending(path: name).path }
            var settings = try EtcdSettings(
                endpoints: etcd.endpoints,
                certificates: .init(
                    authorities: file("ca.pem"), certificate: file("\(name).pem"), key: file("\(name).key")),
                shard: shard, node: name)
            settings.deadline = .seconds(10)
            return try EtcdLog(settings)
        }

        @Test func `a node uses its certificate, and needs the rights on the prefix of its shard`() async throws {
            let folder = try certificates()
            defer { try? FileManager.default.removeItem(at: folder) }
            let etcd = try await EtcdServers(certificates: folder)
            let (node, stranger) = (try log(etcd, folder, as: "node"), try log(etcd, folder, as: "stranger"))
            let reader = try log(etcd, folder, as: "reader")
            let other = try log(etcd, folder, as: "node", shard: "other")
            defer { for log in [node, stranger, reader, other] { log.close() } }
            try await eventually("etcd serves") { await node.serves }
            func control(_ arguments: [String]) throws {
                try etcd.control(
                    [
                        "--cacert", folder.appending(path: "ca.pem").path, "--cert",
                        folder.appending(path: "root.pem").path,
                        "--key", folder.appending(path: "root.key").path,
                    ] + arguments)
            }
            for user in ["root", "node", "reader", "stranger"] { try control(["user", "add", user, "--no-password"]) }
            try control(["user", "grant-role", "root", "root"])
            try control(["role", "add", "main"])
            try control(["role", "grant-permission", "main", "readwrite", "--prefix=true", "/popup-broker/v1/main/"])
            try control(["user", "grant-role", "node", "main"])
            try control(["role", "add", "reading"])
            try control(["role", "grant-permission", "reading", "read", "--prefix=true", "/popup-broker/v1/main/"])
            try control(["user", "grant-role", "reader", "reading"])
            try control(["auth", "enable"])

            try await node.create(wall: 1, time: 1000)
            try await node.check()
            let head = try await node.takenOver(by: owner)
            #expect(try await node.renewClaim(of: owner))
            _ = try await node.appended([1], after: head)
            try await node.keep(LogSnapshot(index: 2, epoch: 1, time: 1, chain: 1, state: [1]), by: owner)
            await #expect(throws: EtcdProblem.forbidden("/popup-broker/v1/main/")) { try await stranger.check() }
            await #expect(throws: EtcdProblem.forbidden("/popup-broker/v1/main/")) { try await reader.check() }
            await #expect(throws: EtcdProblem.forbidden("/popup-broker/v1/other/")) {
                try await other.check(isCreated: false)
            }
            // A request without an outcome, and what it comes from.
            await #expect {
                try await stranger.head()
            } throws: {
                if case SharedLogError.unknown = $0 { true } else { false }
            }
            #expect(await stranger.problem() == .forbidden("/popup-broker/v1/main/"))
            #expect(await node.problem() == nil)
        }

        @Test func `who does not trust etcd's certificate, or cannot read its own, is told so`() async throws {
            let (folder, other) = (try certificates(), try certificates())
            defer { for folder in [folder, other] { try? FileManager.default.removeItem(at: folder) } }
            let etcd = try await EtcdServers(certificates: folder)
            let log = try log(etcd, other, as: "node")
            defer { log.close() }

            await #expect { try await log.check() } throws: { ($0 as? EtcdProblem)?.exitCode == 69 }
            #expect(throws: EtcdProblem.setting("/nowhere/ca.pem cannot be read: No such file or directory")) {
                try self.log(etcd, URL(filePath: "/nowhere"), as: "node")
            }
        }
    }
}
