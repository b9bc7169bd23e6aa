import CarillonCommandLine
import CarillonRegistry

extension ArchiveCounts {
    /// The counts as text.
    var text: String {
        [
            Int(clamping: devices).devices, Int(clamping: groups).counted("group") + " with topics",
            Int(clamping: tombstones).counted("tombstone"),
        ].joined(separator: ", ")
    }
}
