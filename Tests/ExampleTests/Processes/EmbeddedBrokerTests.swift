import Foundation
import Testing
import TestPrograms

@Suite("A broker inside an application", .timeLimit(.minutes(5)))
struct EmbeddedBrokerTests {
    @Test("a popup is shown, interrupted and shown again, in one process")
    func story() async throws {
        let application = try RunningProgram(inPackage: Package.product("embedded-broker"))
        #expect(await application.exitCode() == 0)
        #expect(
            await application.output.all() == [
                "lobby: The canteen is open.",
                "lobby: Ms Ōkubo is here.",
                "lobby: The canteen is open. (after visitor: coming)",
            ])
        #expect(await application.errors.all().allSatisfy { $0.contains("popup-broker") })
    }
}
