import ArgumentParser
import CarillonClient
import CarillonCore

struct UnregisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        abstract: "Ends a registration: no push to the device begins after it.",
        discussion: """
            Examples:
              carillon unregister --app com.example.game --device 17
              carillon unregister --app com.example.game --token 00fc13ad… --environment sandbox
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run { client in
            let id = try await client.unregister(reference, app: device.app)
            let result = id == nil ? "not_registered" : "removed"
            Terminal.say(
                server.json
                    ? JSON.members(["device_id": id.map { .number($0.rawValue) }, "result": .text(result)]).line
                    : id.map { "device \($0)  removed" } ?? "was not registered"
            )
        }
    }
}

struct LookupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lookup",
        abstract: "Shows what the server knows of a device.",
        discussion: """
            Examples:
              carillon lookup --app com.example.game --device 17
              carillon lookup --app com.example.game --token 00fc13ad… --json
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run { client in
            let found = try await client.lookup(reference, app: device.app)
            Terminal.say(server.json ? found.json.line : found.table(at: .now))
        }
    }
}

extension Device {
    /// The device with stable names.
    var json: JSON {
        .members([
            "device_id": .number(id.rawValue),
            "environment": .text(address.environment.name),
            "kind": .text(address.kind.name),
            "token": .text(address.token.hex),
            "state": .text("\(state)"),
            "registered_at_ms": .number(registeredAt.milliseconds),
            "seen_at_ms": .number(seenAt.milliseconds),
            "locale": locale.map { .text($0) },
            "time_zone": timeZone.map { .text($0) },
        ])
    }

    /// The device for people.
    func table(at now: Timestamp) -> String {
        var rows = [
            ("device", "\(id)  \(state)"), ("kind", "\(address.kind.name), \(address.environment.name)"),
            ("token", address.token.hex), ("registered", registeredAt.relative(to: now)),
            ("seen", seenAt.relative(to: now)),
        ]
        if let locale { rows.append(("locale", locale)) }
        if let timeZone { rows.append(("time zone", timeZone)) }
        return Terminal.table(rows)
    }
}
