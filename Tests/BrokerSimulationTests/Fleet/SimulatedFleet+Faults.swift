@testable import PopupBroker
import PopupJournal
import PopupScheduling
import SimulatedLogs

// What goes wrong.
extension SimulatedFleet {
    /// Lets one thing go wrong.
    func bringFault() {
        let number = Int(dice.roll(0...Int64(machines.count - 1)))
        // Mostly the owner: what happens to standbys shows seldom.
        let owner = machines.firstIndex { $0.process.isSpeaking }
        let machine = dice.happens(600) ? owner ?? number : number
        let process = machines[machine].process
        let name = "\(machine).\(process.number)"
        switch dice.roll(0...15) {
        case 0, 1:
            let pause = dice.roll(100...9000)
            mark("freeze", "\(name) for \(pause)")
            freeze(process, for: pause)
        case 2:
            mark("kill", name)
            end(process, down: dice.roll(0...3000))
        case 3:
            mark("kill at a call", name)
            process.fuse.arm(dice.happens(300) ? .receive(Int(dice.roll(0...4))) : .publish(Int(dice.roll(0...20))))
        case 4, 5:
            let time = dice.roll(100...10_000)
            mark("cut from the log", "\(name) for \(time)")
            machines[machine].cutUntil = now + time
        case 6:
            let time = dice.roll(100...7000)
            mark("no log", "for \(time)")
            for machine in machines.indices { machines[machine].cutUntil = now + time }
        case 7:
            let time = dice.roll(0...8000)
            mark("claim ends", "in \(time)")
            change { [now] in $0.claimEnds = now + time }
        case 8:
            mark("hand over", "asked for")
            change { $0.orders.handOver = $0.head.epoch }
            tell(.ordersChanged)
        case 9:
            mark("stop", name)
            process.mailbox.stop()
        case 10:
            let time = dice.roll(50...7000)
            mark("cut from all clients", "\(name) for \(time)")
            for client in clients { cut(machine, client.name, for: time) }
        case 11:
            let client = clients[Int(dice.roll(0...Int64(clients.count - 1)))].name
            let time = dice.roll(50...7000)
            mark("cut from a client", "\(name) from \(client) for \(time)")
            cut(machine, client, for: time)
        case 12: bringWeather(to: machine)
        case 13:
            let pause = dice.roll(500...8000)
            mark("the broker hangs", "\(name) for \(pause)")
            process.brokerFrozenUntil = max(process.brokerFrozenUntil, now + pause)
        case 14: process.freeze = (after: Int(dice.roll(0...30)), pause: dice.roll(100...8000))
        default:
            let change = dice.roll(-3_600_000...3_600_000)
            mark("wall clock set", "\(machine) by \(change)")
            machines[machine].wallOffset += change
        }
    }

    private func bringWeather(to machine: Int) {
        let client = clients[Int(dice.roll(0...Int64(clients.count - 1)))].name
        var weather = Weather(lost: Int(dice.roll(0...60)), repeated: Int(dice.roll(0...20)))
        let isScreen = Self.screens.contains(client)
        if dice.happens(400) {
            weather = Weather(every: dice.roll(20...400))
        } else if !isScreen {
            // A connection keeps the order: a screen relies on it, other clients need not.
            weather.delay = 0...dice.roll(0...1500)
        }
        mark("weather", "\(Self.line(machine, client)) \(weather)")
        network.set(weather, for: Self.line(machine, client), dice.happens(500) ? .up : .down)
        add(.calm(machine: machine, client: client), after: dice.roll(200...6000))
    }

    /// Nothing goes wrong any more. Pauses, cuts and weather that have begun end within their time.
    func healAll() {
        mark("the last fault")
        for machine in machines { machine.process.freeze = nil }
        // Nobody dismisses what is shown in the end.
        for renderer in followers { renderer.isPresent = false }
    }
}
