import CarillonLMDB

/// The number of an app in keys.
typealias AppNumber = UInt32

/// All tables of the registry. Each table has one source file, the only place that knows its keys and records.
///
/// In each of them `get` returns nil or an empty value if there is no row. `forEach` calls its closure with the rows in
/// the order of their keys: with those of all apps, unless an app is given.
///
/// Keys are big-endian, so that their order is the order of numbers. The comment of each table says whether its records
/// begin with a version.
struct Tables: Sendable {
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
    let messageMetadata: MessageMetadataTable
    let sets: SetTable
    let setNames: SetNameTable
    let postings: PostingTable
    let memberships: MembershipTable
    let groupTopics: GroupTopicTable
    let schedule: ScheduleTable
    let appMessages: AppMessageTable
    let quarantine: QuarantineTable
    let silentPushes: SilentPushTable
    let receipts: ReceiptTable
    let events: EventTable
    let subscribers: SubscriberTable
    let browsers: BrowserTable
    /// The claims of messages; nil in a database that was made before there were these tables, and is only read.
    let claims: ClaimTable?

    /// The key of address digests; stored in `meta`.
    let secret: AddressSecret

    /// The address → device cache of reads, which is not stored.
    let tokenLookupCache = TokenLookupCache()

    /// The number of databases for which LMDB reserves room.
    static let databaseCount = 40

    /// The options of an LMDB environment whose tables are only read.
    static var readingOptions: LMDBEnvironment.Options {
        var result = LMDBEnvironment.Options()
        result.maximumDatabases = databaseCount
        result.isReadOnly = true
        return result
    }

    /// The databases that were opened, by name.
    let databases: [(name: String, database: Database)]

    /// Opens all databases of a registry with that identity.
    init(_ environment: LMDBEnvironment, identity: RegistryIdentity, ifMissing: LMDBEnvironment.IfMissing) throws {
        secret = identity.secret
        var opener = DatabaseOpener(environment: environment, ifMissing: ifMissing)
        meta = MetaTable(database: try opener.open("meta"))
        apps = AppTable(database: try opener.open("apps"))
        devices = DeviceTable(database: try opener.open("devices"))
        tombstones = TombstoneTable(database: try opener.open("tombstones"))
        messages = MessageTable(database: try opener.open("messages"))
        progress = ProgressTable(database: try opener.open("progress"))
        outbox = OutboxTable(database: try opener.open("outbox"))
        recipients = RecipientTable(database: try opener.open("recipients"))
        outcomes = OutcomeTable(database: try opener.open("outcomes"))
        idempotency = IdempotencyTable(database: try opener.open("idempotency"))
        expiry = ExpiryTable(database: try opener.open("expiry"))
        delays = DelayTable(database: try opener.open("delays"))
        sets = SetTable(database: try opener.open("sets"))
        setNames = SetNameTable(database: try opener.open("setnames"))
        postings = PostingTable(database: try opener.open("postings"))
        memberships = MembershipTable(database: try opener.open("memberships"))
        groupTopics = GroupTopicTable(database: try opener.open("grouptopics"))
        schedule = ScheduleTable(database: try opener.open("schedule"))
        appMessages = AppMessageTable(database: try opener.open("appmessages"))
        quarantine = QuarantineTable(database: try opener.open("quarantine"))
        silentPushes = SilentPushTable(database: try opener.open("silent"))
        receipts = ReceiptTable(database: try opener.open("receipts"))
        events = EventTable(database: try opener.open("events"))
        subscribers = SubscriberTable(database: try opener.open("subscribers"))
        // A database that was made before there were these tables, and is only read, has none.
        attempts = AttemptTable(database: try opener.openIfPresent("attempts"))
        messageMetadata = MessageMetadataTable(database: try opener.openIfPresent("origins"))
        addresses = AddressTable(database: try opener.open("addresses"), recent: try opener.openIfPresent("recent"))
        if let claimed = try opener.openIfPresent("claims"), let silent = try opener.openIfPresent("silentclaims") {
            claims = ClaimTable(database: claimed, silentPushDatabase: silent)
        } else {
            claims = nil
        }
        browsers = BrowserTable(database: try opener.openIfPresent("browsers"))
        databases = opener.opened
    }
}

/// Opens the databases of the tables, and keeps them by name.
private struct DatabaseOpener {
    let environment: LMDBEnvironment
    let ifMissing: LMDBEnvironment.IfMissing
    var opened: [(name: String, database: Database)] = []

    init(environment: LMDBEnvironment, ifMissing: LMDBEnvironment.IfMissing) {
        self.environment = environment
        self.ifMissing = ifMissing
    }

    mutating func open(_ name: String) throws -> Database {
        let database = try environment.openDatabase(name, ifMissing: ifMissing)
        opened.append((name, database))
        return database
    }

    /// Opens a database; nil if the database is missing and is not to be made.
    mutating func openIfPresent(_ name: String) throws -> Database? {
        do throws(LMDBError) {
            let database = try environment.openDatabase(name, ifMissing: ifMissing)
            opened.append((name, database))
            return database
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
