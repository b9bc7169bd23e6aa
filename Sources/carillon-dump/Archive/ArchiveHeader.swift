import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import CarillonVersion

/// The header of an export. The first line has all of it, and the last line repeats the app and the counts.
struct ArchiveHeader: Equatable {
    var app: AppID
    /// The id of the next device. All devices have smaller ids.
    var next: DeviceID
    var counts: ArchiveCounts
    /// The time at which the export was made.
    var at: Timestamp

    static let version: Int64 = 1

    var first: JSON {
        .object(
            [.init(name: "carillon_export", value: .number(UInt64(Self.version)))] + common("app")
                + [
                    .init(name: "at_ms", value: .number(at.milliseconds)),
                    .init(name: "software", value: .text("carillon-dump/\(Version.number)")),
                ])
    }

    /// Returns the last line. `digest` is the digest of all lines between the first and the last, with their line
    /// breaks.
    func last(digest: [UInt8]) -> JSON {
        .object(common("end") + [.init(name: "sha256", value: .text(Hex.string(digest)))])
    }

    private func common(_ name: String) -> [JSON.Member] {
        [
            .init(name: name, value: .text(app.name)),
            .init(name: "next_device", value: .number(next.rawValue)),
            .init(name: "groups", value: .number(counts.groups)),
            .init(name: "devices", value: .number(counts.devices)),
            .init(name: "tombstones", value: .number(counts.tombstones)),
        ]
    }

    init(app: AppID, next: DeviceID, counts: ArchiveCounts, at: Timestamp) {
        self.app = app
        self.next = next
        self.counts = counts
        self.at = at
    }

    init(first line: ArchiveLine) throws(ArchiveError) {
        let version = try line.number("carillon_export")
        guard version == UInt64(Self.version) else {
            throw ArchiveError("the export has version \(version); this program reads \(Self.version)")
        }
        try self.init(line, appName: "app", at: try line.time("at_ms"))
    }

    /// Checks that the last line matches, and returns its digest.
    func digest(last line: ArchiveLine) throws(ArchiveError) -> [UInt8] {
        guard try ArchiveHeader(line, appName: "end", at: at) == self else {
            throw ArchiveError("its last line contradicts its first")
        }
        guard let digest = DeviceToken(hex: try line.text("sha256"))?.bytes else {
            throw ArchiveError("sha256 is not a digest")
        }
        return digest
    }

    private init(_ line: ArchiveLine, appName name: String, at: Timestamp) throws(ArchiveError) {
        guard let app = AppID(try line.text(name)) else { throw ArchiveError("\(name) is not a bundle id") }
        self.app = app
        self.at = at
        next = DeviceID(rawValue: try line.number("next_device"))
        counts = ArchiveCounts()
        counts.groups = try line.number("groups")
        counts.devices = try line.number("devices")
        counts.tombstones = try line.number("tombstones")
    }
}
