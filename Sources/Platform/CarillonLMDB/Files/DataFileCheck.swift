import CCarillonLMDB
import Glibc

/// Checks the file of an LMDB environment before it is mapped. A page that is missing raises a signal in the thread
/// that reads it, and a page of random bytes may do so too.
///
/// It checks the two meta pages, the size of the file, the table of tables, and the first page of each table: a few
/// dozen reads, however large the file is. The pages below the first page of a table are not checked.
///
/// The file has the form of LMDB 0.9 (`mdb.c`: `MDB_page`, `MDB_meta`, `MDB_db`, `MDB_node`), in the order of the
/// machine.
struct DataFileCheck: ~Copyable {
    private let descriptor: CInt
    private let fileBytes: Int
    private let pageBytes: Int
    private let meta: Meta
    /// The number of pages that may still be read. Without it a tree that leads back into itself would have no end.
    private var remainingPages: Int

    /// The root of a table, as LMDB stores it.
    fileprivate struct Tree {
        let depth: Int
        /// The page of the root; nil if the table is empty.
        let root: Int?
    }

    /// The values of a meta page that the check needs.
    struct Meta {
        let pageBytes: Int
        fileprivate let free: Tree
        fileprivate let main: Tree
        fileprivate let lastPage: Int
        /// The number of the transaction that committed it.
        let transaction: UInt64
    }

    static let pageHeaderBytes = 16
    private static let nodeHeaderBytes = 8
    private static let treeBytes = 48
    static let metaBytes = 136
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let pageSizes = 512...32_768
    /// The address space of a process.
    private static let maximumMapBytes: UInt64 = 1 << 47
    /// The most levels of a tree: `CURSOR_STACK` in `mdb.c`.
    private static let maximumDepth = 32
    /// The most attempts at a check: a writer beside may change pages while they are read here.
    private static let maximumAttempts = 10

    /// Checks the file in `directory`. A missing or an empty file is not judged, nor a file of another version.
    ///
    /// - Throws: `.corrupted` or `.invalidFile` with a sentence; the error of reading.
    static func run(in directory: String) throws(LMDBError) {
        let descriptor = open("\(directory)/\(DataFile.name)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        // LMDB says why it cannot be opened.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var failure: LMDBError?
        for _ in 0..<maximumAttempts {
            do throws(LMDBError) {
                guard var check = try DataFileCheck(descriptor) else { return }
                return try check.run()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private init?(_ descriptor: CInt) throws(LMDBError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .ofErrno("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Self.invalid("it is not a file") }
        guard status.st_size > 0 else { return nil }
        let first = try Self.read(Self.pageHeaderBytes + Self.metaBytes, at: 0, of: descriptor)
        guard let first else { throw Self.invalid("it is cut off in its first page") }
        guard try !Self.isOfAnotherVersion(first) else { return nil }
        let firstMeta = try Self.meta(first)
        let second = try Self.read(Self.pageHeaderBytes + Self.metaBytes, at: firstMeta.pageBytes, of: descriptor)
        guard let second else { throw Self.invalid("it is cut off in its second page") }
        guard try !Self.isOfAnotherVersion(second) else { return nil }
        let secondMeta = try Self.meta(second)
        // LMDB chooses the meta page in the same way: `mdb_env_pick_meta` in `mdb.c`.
        meta = firstMeta.transaction < secondMeta.transaction ? secondMeta : firstMeta
        pageBytes = firstMeta.pageBytes
        fileBytes = Int(status.st_size)
        self.descriptor = descriptor
        remainingPages = meta.lastPage
    }

    private mutating func run() throws(LMDBError) {
        let (needed, overflows) = (meta.lastPage + 1).multipliedReportingOverflow(by: pageBytes)
        if overflows || needed > fileBytes {
            // The last pages may have been freed before they were written: then nothing refers to them.
            guard try freePages(from: fileBytes / pageBytes) == meta.lastPage + 1 - fileBytes / pageBytes else {
                throw Self.corrupted("it is cut off: it has \(fileBytes) bytes and needs \(overflows ? .max : needed)")
            }
        }
        var trees: [Tree] = []
        let lastPage = meta.lastPage
        try forEachRow(of: meta.main) { row throws(LMDBError) in
            guard row.isTree, case .page(let page, let offset) = row.location else { return }
            trees.append(try Self.tree(page, at: offset, lastPage: lastPage))
        }
        for tree in trees {
            if let root = tree.root { _ = try readPage(root, isLeaf: tree.depth == 1) }
        }
    }

    // MARK: Pages

    static func isOfAnotherVersion(_ page: [UInt8]) throws(LMDBError) -> Bool {
        guard number(page, at: 10, as: UInt16.self) & PageFlag.meta != 0,
            number(page, at: pageHeaderBytes, as: UInt32.self) == magic
        else { throw invalid("it is none of LMDB, or its first pages are overwritten") }
        return number(page, at: pageHeaderBytes + 4, as: UInt32.self) != 1
    }

    static func meta(_ page: [UInt8]) throws(LMDBError) -> Meta {
        let pageBytes = Int(number(page, at: pageHeaderBytes + 24, as: UInt32.self))
        let mapBytes = number(page, at: pageHeaderBytes + 16, as: UInt64.self)
        let last = number(page, at: pageHeaderBytes + 120, as: UInt64.self)
        guard pageSizes.contains(pageBytes), pageBytes & (pageBytes - 1) == 0 else {
            throw corrupted(
                "a meta page has pages of \(pageBytes) bytes, and not a power of two from \(pageSizes.lowerBound) to "
                    + "\(pageSizes.upperBound)")
        }
        guard mapBytes <= maximumMapBytes else {
            throw corrupted("a meta page has a map of \(mapBytes) bytes, above the \(maximumMapBytes) of a process")
        }
        let maximumPage = maximumMapBytes / UInt64(pageBytes) - 1
        guard (1...maximumPage).contains(last) else {
            throw corrupted("a meta page has \(last) as the number of its last page, and not 1 to \(maximumPage)")
        }
        return Meta(
            pageBytes: pageBytes, free: try tree(page, at: pageHeaderBytes + 24, lastPage: Int(last)),
            main: try tree(page, at: pageHeaderBytes + 72, lastPage: Int(last)), lastPage: Int(last),
            transaction: number(page, at: pageHeaderBytes + 128, as: UInt64.self))
    }

    private static func tree(_ page: [UInt8], at offset: Int, lastPage: Int) throws(LMDBError) -> Tree {
        let depth = Int(number(page, at: offset + 6, as: UInt16.self))
        let root = number(page, at: offset + 40, as: UInt64.self)
        if root == .max, depth == 0 { return Tree(depth: 0, root: nil) }
        guard root >= 2, root <= UInt64(lastPage), (1...maximumDepth).contains(depth) else {
            throw corrupted("a table of it begins at a page that does not exist")
        }
        return Tree(depth: depth, root: Int(root))
    }

    /// Reads a page of a tree, and checks that its rows lie inside it.
    private mutating func readPage(_ number: Int, isLeaf: Bool) throws(LMDBError) -> [UInt8] {
        guard remainingPages > 0 else { throw Self.corrupted("a tree of it leads back into itself") }
        remainingPages -= 1
        guard (2...meta.lastPage).contains(number) else {
            throw Self.corrupted("it refers to a page that does not exist")
        }
        guard let page = try Self.read(pageBytes, at: number * pageBytes, of: descriptor) else {
            throw Self.corrupted("it is cut off: it has \(fileBytes) bytes, and page \(number) is behind them")
        }
        let flags = Self.number(page, at: 10, as: UInt16.self)
        let lower = Int(Self.number(page, at: 12, as: UInt16.self))
        let upper = Int(Self.number(page, at: 14, as: UInt16.self))
        let offsets = lower >= Self.pageHeaderBytes && lower <= pageBytes ? Self.offsets(page, lower: lower) : []
        guard flags & PageFlag.kinds == (isLeaf ? PageFlag.leaf : PageFlag.branch), lower >= Self.pageHeaderBytes,
            lower & 1 == 0, lower <= upper,
            upper <= pageBytes, offsets.count >= (isLeaf ? 1 : 2),
            Self.number(page, at: 0, as: UInt64.self) == UInt64(number),
            offsets.allSatisfy({ $0 >= upper && $0 <= pageBytes - Self.nodeHeaderBytes })
        else { throw Self.corrupted("page \(number) is overwritten") }
        return page
    }

    private static func offsets(_ page: [UInt8], lower: Int) -> [Int] {
        stride(from: pageHeaderBytes, to: lower - 1, by: 2).map { Int(number(page, at: $0, as: UInt16.self)) }
    }

    // MARK: Trees

    /// The kind of a page, in its flags.
    private enum PageFlag {
        static let branch: UInt16 = 0x01
        static let leaf: UInt16 = 0x02
        static let meta: UInt16 = 0x08
        static let kinds: UInt16 = 0x0F
    }

    /// The flags of a row in a leaf page.
    private enum NodeFlag {
        /// The value is in pages of its own.
        static let long = 0x01
        /// The value is LMDB's record of a table.
        static let tree = 0x02
    }

    private struct Row {
        enum Location {
            /// The value is in a page of the tree.
            case page([UInt8], offset: Int)
            /// The value is in pages of its own, at an offset in the file.
            case file(offset: Int)
        }

        let location: Location
        /// The number of bytes of the value.
        let count: Int
        /// True if the value is LMDB's record of a table.
        let isTree: Bool
    }

    private mutating func forEachRow(of tree: Tree, _ body: (Row) throws(LMDBError) -> Void) throws(LMDBError) {
        if let root = tree.root { try forEachRow(below: root, depth: tree.depth, body) }
    }

    private mutating func forEachRow(
        below number: Int, depth: Int, _ body: (Row) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let page = try readPage(number, isLeaf: depth == 1)
        for offset in Self.offsets(page, lower: Int(Self.number(page, at: 12, as: UInt16.self))) {
            let low = Int(Self.number(page, at: offset, as: UInt16.self))
            let high = Int(Self.number(page, at: offset + 2, as: UInt16.self))
            let flags = Int(Self.number(page, at: offset + 4, as: UInt16.self))
            if depth > 1 {
                try forEachRow(below: low | high << 16 | flags << 32, depth: depth - 1, body)
                continue
            }
            let start = offset + Self.nodeHeaderBytes + Int(Self.number(page, at: offset + 6, as: UInt16.self))
            let count = low | high << 16
            let isLong = flags & NodeFlag.long != 0
            let isTree = flags & NodeFlag.tree != 0
            guard start + (isLong ? 8 : count) <= pageBytes, !isTree || count == Self.treeBytes else {
                throw Self.corrupted("page \(number) is overwritten")
            }
            guard isLong else {
                try body(Row(location: .page(page, offset: start), count: count, isTree: isTree))
                continue
            }
            // The pages of its own begin with a header.
            let first = Self.number(page, at: start, as: UInt64.self)
            guard (2...UInt64(meta.lastPage)).contains(first) else {
                throw Self.corrupted("it refers to a page that does not exist")
            }
            let location = Row.Location.file(offset: Int(first) * pageBytes + Self.pageHeaderBytes)
            try body(Row(location: location, count: count, isTree: false))
        }
    }

    /// Counts the pages in the free list from a page on.
    private mutating func freePages(from first: Int) throws(LMDBError) -> Int {
        var free = 0
        let descriptor = descriptor
        let lastPage = meta.lastPage
        try forEachRow(of: meta.free) { row throws(LMDBError) in
            var offset = 0
            // A value is the number of its pages, which is not counted here, and the pages, as machine words.
            while offset < row.count {
                let count = min(row.count - offset, Self.maximumReadBytes)
                let bytes =
                    switch row.location {
                    case .page(let page, let start): Array(page[start + offset..<start + offset + count])
                    case .file(let start): try Self.read(count, at: start + offset, of: descriptor)
                    }
                guard let bytes, count % 8 == 0 else {
                    throw Self.corrupted("a row of its free list has \(row.count) bytes, no multiple of 8")
                }
                for index in stride(from: offset == 0 ? 8 : 0, to: count, by: 8) {
                    let page = Self.number(bytes, at: index, as: UInt64.self)
                    if page >= UInt64(first), page <= UInt64(lastPage) { free += 1 }
                }
                offset += count
            }
        }
        return free
    }

    /// The most bytes that are read at a time.
    private static let maximumReadBytes = 65_536

    // MARK: Bytes

    /// Returns bytes of the file; nil if it ends before.
    static func read(_ count: Int, at offset: Int, of descriptor: CInt) throws(LMDBError) -> [UInt8]? {
        var failure: LMDBError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if result < 0 && errno == EINTR { continue }
                if result < 0 { failure = .ofErrno("pread") }
                guard result > 0 else { return }
                filled += result
            }
        }
        if let failure { throw failure }
        return bytes.count == count ? bytes : nil
    }

    private static func number<N: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: [UInt8], at offset: Int, as type: N.Type
    ) -> N {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: N.self) }
    }

    private static func corrupted(_ what: String) -> LMDBError {
        LMDBError(.corrupted, operation: "open", detail: "data.mdb is damaged: \(what)")
    }

    private static func invalid(_ what: String) -> LMDBError {
        LMDBError(.invalidFile, operation: "open", detail: "data.mdb is not a database: \(what)")
    }
}
