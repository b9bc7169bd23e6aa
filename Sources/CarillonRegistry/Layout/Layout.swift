import CarillonCore
import CarillonLMDB

/// The number of an app in keys.
typealias AppNumber = UInt32

/// All tables of the registry. Each table has one source file, the only place that knows its keys and records.
///
/// Keys are big-endian, so that their order is the order of numbers. The comment of each table says
/// whether its records begin with a version.
struct Layout: Sendable {
    let meta: MetaTable
    let apps: AppTable
    let devices: DeviceTable
    let addresses: AddressTable
    let tombstones: TombstoneTable
    let messages: MessageTable
    let progress: ProgressTable
    let outbox: OutboxTable
    let recipients: RecipientTable
    let outcomes: OutcomeTable
    let idempotency: IdempotencyTable
    let expiry: ExpiryTable
    let delays: DelayTable
    let attempts: AttemptTable
    let origins: OriginTable
    let sets: SetTable
    let setNames: SetNameTable
    let postings: PostingTable
    let memberships: MembershipTable
    let groupTopics: GroupTopicTable
    let schedule: ScheduleTable
    let appMessages: AppMessageTable
    let quarantine: QuarantineTable
    let silent: SilentTable
    let receipts: ReceiptTable
    let events: EventTable
    let subscribers: SubscriberTable
    /// Nil in a database that was made before there were these tables, and is only read.
    let claims: ClaimTable?

    /// The key of address digests; stored in `meta`.
    let secret: AddressSecret

    /// Not stored: the address → device cache of reads.
    let tokenCache = TokenLookupCache()

    /// The number of databases for which LMDB reserves room.
    static let databaseCount = 32

    /// The names of all of them.
    static let names = [
        "meta", "apps", "devices", "tombstones", "messages", "progress", "outbox", "recipients",
        "outcomes", "idempotency", "expiry", "delays", "sets", "setnames", "postings", "memberships", "grouptopics",
        "schedule", "appmessages", "quarantine", "silent", "receipts", "events", "subscribers", "attempts",
        "origins", "addresses", "recent", "claims", "silentclaims",
    ]

    /// All of them, by name.
    let databases: [(name: String, database: Database)]

    /// Opens all databases of that mark, and makes those that are missing if `create` says so.
    init(_ environment: LMDBEnvironment, _ mark: RegistryMark, create: Bool) throws {
        secret = mark.secret
        var opened: [(name: String, database: Database)] = []
        func open(_ name: String) throws -> Database {
            let database = try environment.openDatabase(name, create: create)
            opened.append((name, database))
            return database
        }
        meta = MetaTable(database: try open("meta"))
        apps = AppTable(database: try open("apps"))
        devices = DeviceTable(database: try open("devices"))
        tombstones = TombstoneTable(database: try open("tombstones"))
        messages = MessageTable(database: try open("messages"))
        progress = ProgressTable(database: try open("progress"))
        outbox = OutboxTable(database: try open("outbox"))
        recipients = RecipientTable(database: try open("recipients"))
        outcomes = OutcomeTable(database: try open("outcomes"))
        idempotency = IdempotencyTable(database: try open("idempotency"))
        expiry = ExpiryTable(database: try open("expiry"))
        delays = DelayTable(database: try open("delays"))
        sets = SetTable(database: try open("sets"))
        setNames = SetNameTable(database: try open("setnames"))
        postings = PostingTable(database: try open("postings"))
        memberships = MembershipTable(database: try open("memberships"))
        groupTopics = GroupTopicTable(database: try open("grouptopics"))
        schedule = ScheduleTable(database: try open("schedule"))
        appMessages = AppMessageTable(database: try open("appmessages"))
        quarantine = QuarantineTable(database: try open("quarantine"))
        silent = SilentTable(database: try open("silent"))
        receipts = ReceiptTable(database: try open("receipts"))
        events = EventTable(database: try open("events"))
        subscribers = SubscriberTable(database: try open("subscribers"))
        // A database that was made before there were these tables, and is only read, has none.
        func openIfPresent(_ name: String) throws -> Database? {
            try create || Self.exists(name, in: environment) ? try open(name) : nil
        }
        attempts = AttemptTable(database: try openIfPresent("attempts"))
        origins = OriginTable(database: try openIfPresent("origins"))
        addresses = AddressTable(database: try open("addresses"), recent: try openIfPresent("recent"))
        if let claimed = try openIfPresent("claims"), let silent = try openIfPresent("silentclaims") {
            claims = ClaimTable(database: claimed, silentDatabase: silent)
        } else {
            claims = nil
        }
        databases = opened
    }

    private static func exists(_ name: String, in environment: LMDBEnvironment) throws -> Bool {
        do throws(LMDBError) {
            _ = try environment.openDatabase(name)
            return true
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }
}

/// The keys of all tables that are keyed by a message or by a page of one.
enum MessageKey {
    /// Key of a message: id `u64`.
    @inline(__always)
    static func with<R>(_ message: MessageID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(capacity: 8, { $0.append(message.rawValue) }, body)
    }

    /// Key of a page: message id `u64`, page `u32`.
    @inline(__always)
    static func with<R>(_ message: MessageID, page: UInt32, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 12,
            {
                $0.append(message.rawValue)
                $0.append(page)
            },
            body
        )
    }

    /// Reads the key of a message.
    static func message(_ key: Span<UInt8>, of table: StaticString) throws -> MessageID {
        try ByteReader.read(key, of: table) { MessageID(rawValue: try $0.number()) }
    }

    /// Reads the key of a page.
    static func page(_ key: Span<UInt8>, of table: StaticString) throws -> (message: MessageID, page: UInt32) {
        try ByteReader.read(key, of: table) { (MessageID(rawValue: try $0.number()), try $0.number()) }
    }
}
