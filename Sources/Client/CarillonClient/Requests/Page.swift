import CarillonCore

/// One page of a listing.
public struct Page<Row: Hashable & Sendable, Cursor: Hashable & Sendable>: Hashable, Sendable {
    /// The rows, in the order of the listing.
    public var rows: [Row]
    /// The cursor of the next page; nil if this was the last.
    public var next: Cursor?

    /// Makes a page as a server answers it, for tests of a program.
    public init(rows: [Row], next: Cursor?) {
        self.rows = rows
        self.next = next
    }
}

extension Page<DeviceID, UInt64> {
    init(_ page: DeviceIDPage) {
        self.init(rows: page.devices, next: page.next == 0 ? nil : page.next)
    }
}
