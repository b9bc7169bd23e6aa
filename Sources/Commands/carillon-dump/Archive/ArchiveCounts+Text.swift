import CarillonCommandLine
import CarillonRegistry

/// The counts of an archive as text for users.
extension ArchiveCounts {
    var text: String {
        [
            Int(clamping: devices).devices, Int(clamping: groups).counted("group") + " with topics",
            Int(clamping: tombstones).counted("tombstone"),
        ].joined(separator: ", ")
    }
}
