import CarillonCore
import CarillonRegistry
import Synchronization

/// The contents of a data directory after the recovery of a server start, as lines of text.
struct RecoveredState {
    let app: AppID
    let subscribers: [EventSubscriber]
    private(set) var text = ""

    private static let pageRows = 4_096

    init(app: AppID, subscribers: [EventSubscriber]) {
        self.app = app
        self.subscribers = subscribers
    }

    /// Opens the directory `path`, recovers it, and reads everything. For a directory that a server would
    /// refuse, the text is the error and the end.
    mutating func read(_ path: String) {
        do throws(RegistryError) {
            let hasReplayed = Atomic<Bool>(false)
            var options = LMDBRegistry.Options()
            options.onWALNotice = { notice in
                if case .replayed = notice { hasReplayed.store(true, ordering: .relaxed) }
            }
            let registry = try LMDBRegistry(path: path, options: options)
            defer { registry.close() }
            if hasReplayed.load(ordering: .relaxed) { add("replayed") }
            for finding in try registry.verifyFile() { add("finding", "\(finding)") }
            try addDevices(of: registry)
            try addGroups(of: registry)
            try addMessages(of: registry)
            try addEvents(of: registry)
        } catch {
            text = ""
            add("refused", error.description.replacing("\n", with: " "))
        }
        add("end")
    }

    private mutating func add(_ fields: String...) {
        text += fields.joined(separator: "\t") + "\n"
    }

    private mutating func addDevices(of registry: LMDBRegistry) throws(RegistryError) {
        var last: DeviceID?
        while true {
            let rows = try registry.archivedDevices(of: app, after: last, limit: Self.pageRows)
            for row in rows {
                let device = row.device
                add(
                    "device", device.address.token.hex, String(device.id.rawValue), String(device.state.rawValue),
                    device.locale ?? "", device.isMuted ? "1" : "0",
                    row.topics.map(\.name).joined(separator: ","), row.groups.map(\.name).joined(separator: ","))
            }
            guard rows.count == Self.pageRows else { break }
            last = rows.last?.device.id
        }
        var address: DeviceAddress?
        while true {
            let rows = try registry.archivedTombstones(of: app, after: address, limit: Self.pageRows)
            for row in rows { add("tombstone", row.address.token.hex) }
            guard rows.count == Self.pageRows else { return }
            address = rows.last?.address
        }
    }

    private mutating func addGroups(of registry: LMDBRegistry) throws(RegistryError) {
        var last: GroupName?
        repeat {
            let page = try registry.archivedGroups(of: app, after: last, limit: Self.pageRows)
            for row in page.rows {
                add("group", row.name.name, row.isMuted ? "1" : "0", row.topics.map(\.name).joined(separator: ","))
            }
            last = page.last
        } while last != nil
    }

    private mutating func addMessages(of registry: LMDBRegistry) throws(RegistryError) {
        var last: MessageID?
        repeat {
            let page = try registry.messages(of: app, before: last, limit: Self.pageRows, filter: MessageFilter())
            for row in page.rows {
                let recipients = try describeRecipients(of: row.id, registry)
                add("message", String(row.id.rawValue), String(row.state.rawValue), String(row.total), recipients)
                for kind in ReceiptKind.allCases { try addReceipts(of: row.id, kind: kind, registry) }
            }
            last = page.next
        } while last != nil
    }

    private func describeRecipients(of message: MessageID, _ registry: LMDBRegistry) throws(RegistryError) -> String {
        var recipients: [String] = []
        var cursor: UInt64 = 0
        repeat {
            let page = try registry.outcomes(of: message, app: app, cursor: cursor, limit: Self.pageRows)
            guard let page else { break }
            recipients += page.recipients.map { "\($0.device?.rawValue ?? 0)=\($0.outcome.rawValue)" }
            cursor = page.next
        } while cursor != 0
        return recipients.joined(separator: ",")
    }

    private mutating func addReceipts(
        of message: MessageID, kind: ReceiptKind, _ registry: LMDBRegistry
    ) throws(RegistryError) {
        var devices: [String] = []
        var cursor: UInt64 = 0
        repeat {
            let page = try registry.receipts(
                of: message, app: app, kind: kind, cursor: cursor, limit: Self.pageRows)
            guard let page else { break }
            devices += page.devices.map { String($0.rawValue) }
            cursor = page.next
        } while cursor != 0
        if !devices.isEmpty {
            add("receipts", String(message.rawValue), String(kind.rawValue), devices.joined(separator: ","))
        }
    }

    private mutating func addEvents(of registry: LMDBRegistry) throws(RegistryError) {
        for subscriber in subscribers {
            guard let event = try registry.acknowledgedSequence(by: subscriber) else { continue }
            add("subscriber", subscriber.name, String(event))
        }
        add("event", String(try registry.newestEventSequence()))
    }
}
