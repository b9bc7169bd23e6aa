import CarillonCore
import CarillonWire

/// The rows of a listing, fetched page by page as they are consumed.
///
/// ```swift
/// for try await group in game.groups(prefix: "guild/") where group.isMuted { print(group.group) }
/// let devices = try await game.devices(in: TopicName("raids")!).reduce(0) { count, _ in count + 1 }
/// ```
///
/// If rows change on the server during an iteration, the listing may or may not show the change. A row that exists
/// throughout is listed exactly once. Each iteration starts from the beginning.
public struct Listing<Row: Hashable & Sendable, Cursor: Hashable & Sendable>: AsyncSequence, Sendable {
    /// One row.
    public typealias Element = Row
    /// The error of a page that could not be fetched.
    public typealias Failure = CarillonError

    let page: @Sendable (Cursor?) async throws(CarillonError) -> Page<Row, Cursor>

    init(page: @escaping @Sendable (Cursor?) async throws(CarillonError) -> Page<Row, Cursor>) {
        self.page = page
    }

    /// Makes an iterator, which begins at the first row.
    public func makeAsyncIterator() -> Iterator {
        Iterator(page: page)
    }

    /// An iterator that returns the rows once.
    public struct Iterator: AsyncIteratorProtocol {
        let page: @Sendable (Cursor?) async throws(CarillonError) -> Page<Row, Cursor>
        private var rows: ArraySlice<Row> = []
        private var cursor: Cursor?
        private var isLast = false

        init(page: @escaping @Sendable (Cursor?) async throws(CarillonError) -> Page<Row, Cursor>) {
            self.page = page
        }

        /// Returns the next row; nil after the last.
        public mutating func next() async throws(CarillonError) -> Row? {
            try await next(isolation: #isolation)
        }

        /// Returns the next row; nil after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CarillonError) -> Row? {
            while rows.isEmpty {
                guard !isLast else { return nil }
                let fetched = try await page(cursor)
                guard fetched.next == nil || fetched.next != cursor else {
                    throw CarillonError(.server(.malformed), message: "a page that leads to itself")
                }
                cursor = fetched.next
                isLast = fetched.next == nil
                rows = fetched.rows[...]
            }
            return rows.popFirst()
        }
    }
}

extension CarillonClient {
    /// Returns the number of rows that a client may request for a page: the limit that is nearest to the one given.
    static func pageLimit(_ limit: Int) -> UInt32 {
        UInt32(min(max(limit, 1), WireLimits.pageRows))
    }
}
