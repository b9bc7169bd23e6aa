import CarillonCore

/// Reads and writes the fields of STATISTICS about the counts of each app (Protocol 13.1).
extension ServerStatistics.RegistryCounts {
    private static let appsTag: UInt32 = 36
    private static let providersTag: UInt32 = 54

    /// The tagged field of the counts of each app; nil if the registry has no app.
    var appsField: FrameWriter.TaggedField? {
        FrameWriter.field(Self.appsTag, list: apps) { $1.write(to: &$0) }
    }

    /// The tagged field of the devices by provider, in the order of the apps; nil if they are not known.
    var providersField: FrameWriter.TaggedField? {
        let isKnown = apps.contains { $0.devicesByProvider != nil }
        return FrameWriter.field(Self.providersTag, list: isKnown ? apps : []) { $1.writeProviders(to: &$0) }
    }

    /// Reads a tag; returns false if it is no tag of the apps.
    mutating func read(
        _ tag: UInt32, value: UnsafeRawBufferPointer, with reader: inout PayloadReader
    ) throws(WireError) -> Bool {
        switch tag {
        case Self.appsTag:
            apps = try reader.parse(value, as: "apps") { reader throws(WireError) in
                var apps: [ServerStatistics.AppCount] = []
                try reader.list("apps", elementBytes: ServerStatistics.AppCount.minimumBytes) {
                    reader, _ throws(WireError) in apps.append(try ServerStatistics.AppCount(from: &reader))
                }
                return apps
            }
        case Self.providersTag: try readProviders(value, with: &reader)
        default: return false
        }
        return true
    }

    private mutating func readProviders(
        _ value: UnsafeRawBufferPointer, with reader: inout PayloadReader
    ) throws(WireError) {
        var found = apps
        let count = try reader.parse(value, as: "devices_by_provider") { reader throws(WireError) in
            var count = 0
            try reader.list("devices_by_provider", elementBytes: ServerStatistics.AppCount.providerBytes) {
                reader, index throws(WireError) in
                let devices = try ServerStatistics.AppCount.readProviders(from: &reader)
                count = index + 1
                if found.indices.contains(index) { found[index].devicesByProvider = devices }
            }
            return count
        }
        guard count == found.count else {
            return reader.recordInvalid("devices_by_provider", because: "\(count) rows for \(found.count) apps")
        }
        apps = found
    }
}

extension ServerStatistics.AppCount {
    fileprivate static let minimumBytes = 2 + 4 * 8

    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            app: try reader.app(), devices: try reader.u64("devices"), quarantined: try reader.u64("quarantined"),
            groups: try reader.u64("groups"), topics: try reader.u64("topics"))
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.string(app.name)
        for number in [devices, quarantined, groups, topics] { writer.u64(number) }
    }

    /// The providers in the order of a row. A provider of a later version needs a list of its own.
    private static let providers = [Provider.apns, .fcm, .web]
    fileprivate static let providerBytes = 3 * 8

    fileprivate static func readProviders(from reader: inout PayloadReader) throws(WireError) -> [Provider: UInt64] {
        var counts: [Provider: UInt64] = [:]
        for provider in providers { counts[provider] = try reader.u64(provider.name) }
        return counts
    }

    fileprivate func writeProviders(to writer: inout FrameWriter) {
        for provider in Self.providers { writer.u64(devicesByProvider?[provider] ?? 0) }
    }
}
