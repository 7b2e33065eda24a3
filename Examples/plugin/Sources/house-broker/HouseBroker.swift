import BrokerService
import Foundation
import HouseRules
import PopupConfiguration
import PopupProtocol

/// A broker with the rules of the house, `house-broker [FILE]`: `popup-broker` with two plugins.
@main
struct HouseBroker {
    static func main() async {
        let answers = AnswerCount()
        let service = BrokerService(
            name: "house-broker", configuration: .ofProcess(file: CommandLine.arguments.dropFirst().first))
        let status = await service.run(plugins: [PriorityCap(caps), answers])
        for (answer, count) in answers.counts.sorted(by: {
            ($0.key.group, $0.key.action) < ($1.key.group, $1.key.action)
        }) {
            print("\(answer.group): \(answer.action) × \(count)")
        }
        exit(status.rawValue)
    }

    /// The caps: at most 50 in public rooms, at most 100 elsewhere.
    private static var caps: [PriorityCap.Cap] {
        [("public/*", 50), ("*", 100)].map { groups, most in
            PriorityCap.Cap(groups: GroupPattern(groups)!, most: most)
        }
    }
}
