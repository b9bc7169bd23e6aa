import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists devices, active and quarantined.",
        discussion: """
            Examples:
              carillon-dump devices --data /var/lib/carillon --platform ios --locale zh --csv
              carillon-dump devices --data /var/lib/carillon --app com.example.game --topic level5
              carillon-dump devices --server push.internal:7474 --app com.example.game --state quarantined
            """
    )

    @OptionGroup var apps: AppOptions
    @OptionGroup var filter: DeviceFilter
    @OptionGroup var rows: DumpRowOptions
    @OptionGroup var source: SourceOptions

    static let columns = [
        "app", "device_id", "environment", "kind", "token", "state", "registered_at_ms", "seen_at_ms", "locale",
        "time_zone", "muted", "attributes",
    ]

    func run() async throws {
        try await source.run { rowSource in
            let output = try rows.output(Self.columns)
            for app in try await apps.apps(of: rowSource, server: source.server) {
                try await list(app, from: rowSource, to: output)
            }
            try output.flush()
        }
    }

    private func list(_ app: AppID, from rowSource: any RowSource, to output: RowOutput) async throws {
        func show(_ device: DeviceRecord) throws {
            if filter.admits(device) { try output.append(device.values(of: app, token: source.token)) }
        }
        guard filter.topic != nil || filter.group != nil else {
            var cursor: UInt64?
            repeat {
                let page = try await rowSource.devices(of: app, from: cursor)
                for device in page.rows { try show(device) }
                cursor = page.next
            } while cursor != nil && !output.isFull
            return
        }
        var cursor: UInt64?
        repeat {
            let page = try await members(of: app, in: rowSource, from: cursor)
            for id in page.rows where !output.isFull {
                // A device may have been removed since the page was read.
                if let device = try await rowSource.device(.id(id), of: app) { try show(device) }
            }
            cursor = page.next
        } while cursor != nil && !output.isFull
    }

    /// Reads a page of the devices of the filter's group or topic.
    private func members(
        of app: AppID, in rowSource: any RowSource, from cursor: UInt64?
    ) async throws -> Page<DeviceID, UInt64> {
        if let group = filter.group { return try await rowSource.devices(of: group, app: app, from: cursor) }
        guard let topic = filter.topic else { return Page(rows: [], next: nil) }
        return try await rowSource.devices(in: topic, app: app, from: cursor)
    }
}

extension DeviceRecord {
    /// Returns the device as values of the columns of `devices`.
    func values(of app: AppID, token: (DeviceAddress) -> String) -> [JSON?] {
        [
            .text(app.name), .number(id.rawValue), .text(address.environment.name), .text(address.kind.name),
            .text(token(address)), .text("\(state)"), .number(registeredAt.milliseconds),
            .number(seenAt.milliseconds), locale.map { .text($0) }, timeZone.map { .text($0) },
            isMuted ? .bool(true) : nil,
            attributes.entries.isEmpty
                ? nil : .object(attributes.entries.map { .init(name: $0.key.name, value: .text($0.value.text)) }),
        ]
    }
}
