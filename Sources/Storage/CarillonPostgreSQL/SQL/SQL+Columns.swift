/// The columns of the statements whose rows have several, as the statements list them.
extension SQL {
    /// The columns of ``SQL/head``, and the first ones of ``SQL/lockHead``.
    enum HeadColumn {
        static let position = 0
        static let trimmed = 1
        static let log = 2
    }

    /// The further columns of ``SQL/lockHead``.
    enum LockedHeadColumn {
        static let incarnations = 2
        static let log = 3
    }

    /// The columns of ``SQL/node``.
    enum NodeColumn {
        static let incarnation = 0
        static let sequence = 1
        static let appended = 2
        static let position = 3
        static let isOver = 4
        static let replica = 5
    }

    /// The columns of ``SQL/progress``.
    enum ProgressColumn {
        static let incarnation = 0
        static let leaseMilliseconds = 1
        static let address = 2
        static let silenceMilliseconds = 4
    }

    /// The columns of ``SQL/nodes``. A member takes two: its name and its incarnation.
    enum NodeStatusColumn {
        static let member = 0
        static let applied = 2
        static let hash = 3
        static let leaseMilliseconds = 4
        static let address = 5
        static let version = 6
        static let newestFormat = 7
        static let renewals = 8
        static let silenceMilliseconds = 9
        static let isOver = 10
    }

    /// The columns of ``SQL/snapshots``, and the first ones of ``SQL/snapshotUnderWay``.
    enum SnapshotColumn {
        static let id = 0
        static let maker = 1
        static let position = 3
        static let hash = 4
        static let format = 5
        static let chunks = 6
        static let bytes = 7
    }

    /// The last column of ``SQL/snapshotUnderWay``.
    enum SnapshotUnderWayColumn {
        static let isMakerLive = 3
    }
}
