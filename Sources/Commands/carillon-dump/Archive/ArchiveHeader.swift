import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import CarillonVersion

/// The header of an export. The first line has all of it, and the last line repeats the app and the counts.
struct ArchiveHeader: Equatable {
    var app: AppID
    /// The id of the next device. All devices have smaller ids.
    var nextDevice: DeviceID
    var counts: ArchiveCounts
    var exportedAt: Timestamp

    static let version: Int64 = 1

    var firstLine: JSON {
        .object(
            [.init(name: "carillon_export", value: .number(UInt64(Self.version)))] + common("app")
                + [
                    .init(name: "at_ms", value: .number(exportedAt.milliseconds)),
                    .init(name: "software", value: .text("carillon-dump/\(Version.number)")),
                ])
    }

    /// Returns the last line. `digest` is the digest of all lines between the first and the last, with their line
    /// breaks.
    func lastLine(digest: [UInt8]) -> JSON {
        .object(common("end") + [.init(name: "sha256", value: .text(Hex.string(digest)))])
    }

    private func common(_ name: String) -> [JSON.Member] {
        [
            .init(name: name, value: .text(app.name)),
            .init(name: "next_device", value: .number(nextDevice.rawValue)),
            .init(name: "groups", value: .number(counts.groups)),
            .init(name: "devices", value: .number(counts.devices)),
            .init(name: "tombstones", value: .number(counts.tombstones)),
        ]
    }

    init(app: AppID, nextDevice: DeviceID, counts: ArchiveCounts, exportedAt: Timestamp) {
        self.app = app
        self.nextDevice = nextDevice
        self.counts = counts
        self.exportedAt = exportedAt
    }

    init(firstLine line: ArchiveLine) throws(ArchiveError) {
        let version = try line.number("carillon_export")
        guard version == UInt64(Self.version) else {
            throw ArchiveError("the export has version \(version); this program reads \(Self.version)")
        }
        try self.init(line, appName: "app", exportedAt: try line.time("at_ms"))
    }

    /// Checks that the last line matches, and returns its digest.
    func digest(lastLine line: ArchiveLine) throws(ArchiveError) -> [UInt8] {
        guard try ArchiveHeader(line, appName: "end", exportedAt: exportedAt) == self else {
            throw ArchiveError("its last line contradicts its first")
        }
        guard let digest = DeviceToken(hex: try line.text("sha256"))?.bytes else {
            throw ArchiveError("sha256 is not a digest")
        }
        return digest
    }

    private init(_ line: ArchiveLine, appName name: String, exportedAt: Timestamp) throws(ArchiveError) {
        guard let app = AppID(try line.text(name)) else { throw ArchiveError("\(name) is not a bundle id") }
        self.app = app
        self.exportedAt = exportedAt
        nextDevice = DeviceID(rawValue: try line.number("next_device"))
        counts = ArchiveCounts()
        counts.groups = try line.number("groups")
        counts.devices = try line.number("devices")
        counts.tombstones = try line.number("tombstones")
    }
}

/// Formats the counts of an archive for users.
extension ArchiveCounts {
    var text: String {
        [
            Int(clamping: devices).devices, Int(clamping: groups).counted("group") + " with topics",
            Int(clamping: tombstones).counted("tombstone"),
        ].joined(separator: ", ")
    }
}
