// What popups refer to, as bytes: pages, renderers, flows. See `appendState`.
extension Scheduler {
    func encodePages(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.trees) { encoder, name in
            guard let place = pages.place(of: name) else { return }
            encoder.add(name)
            encodeOwner(pages[place].account, order, &encoder)
            encoder.add(pages[place].current)
            encoder.add(pages[place].pages) { encoder, page in
                encoder.add(page.node)
                encoder.add(page.value)
                encoder.add(page.parent) { $0.add($1) }
            }
        }
    }

    func encodeClients(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.clients) { encoder, client in
            encoder.add(store[clients.records[client].name])
            encoder.add(store[clients.records[client].patterns])
            encoder.add(clients.records[client].hasLease)
            encodeTimer(clients.records[client].lease, &encoder)
            encodeOwner(clients.records[client].account, order, &encoder)
        }
    }

    func encodeFlows(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.flows) { encoder, flow in
            let record = flows[flow]
            encoder.add(order.place(ofGroup: record.group))
            encoder.add(store[record.key])
            encodeTimer(record.gathering, &encoder)
            encoder.add(record.heldUntil == .min ? nil : record.heldUntil) { $0.add($1) }
        }
    }
}
