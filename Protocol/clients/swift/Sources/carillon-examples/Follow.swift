import CarillonClient

/// Follows a message by events, reports a receipt, and acknowledges durably.
func follow(_ token: String, name: String) async throws(CarillonError) {
    try await withCarillonClient(configuration: .fromEnvironment()) { client throws(CarillonError) in
        let app = try client.defaultApp
        let events = try await app.events(name: name, kinds: [.messageFinished])
        let device = DeviceReference.address(try address(token))
        let message = try await app.send(.alert(body: "Seen?"), to: .devices([device]), options: .init(idKey: "id"))
        for try await element in events {
            guard case .event(let event) = element, event.message == message.id else { continue }
            print("message", message.id, "finished", event.count ?? 0)
            let reported = try await app.reportReceipts([Receipt(message: message.id, device: device, kind: .opened)])
            print("opened", reported.counted)
            try events.acknowledge(upTo: event.sequence)
            try await events.flush()
            print("acknowledged")
            break
        }
        await events.close()
    }
}
