import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Goes through a file of registrations: several batches are under way at once, and counted in the order of the file.
struct Import {
    /// Lines of one batch.
    private static let batchCount = 1_000

    let client: CarillonClient
    let form: LineForm
    let template: RegistrationLine.Template
    /// Batches under way at most.
    let inFlight: Int
    /// Where the state is kept; nothing for what cannot be read again.
    let stateFile: ImportStateFile?
    var reader: LineReader
    var report: RefusalReport
    private(set) var state: ImportState
    private var underWay: [Task<Result<ImportBatch, CarillonError>, Never>] = []

    init(
        client: CarillonClient,
        form: LineForm,
        template: RegistrationLine.Template,
        inFlight: Int,
        stateFile: ImportStateFile?,
        reader: LineReader,
        report: RefusalReport,
        state: ImportState
    ) {
        self.client = client
        self.form = form
        self.template = template
        self.inFlight = inFlight
        self.stateFile = stateFile
        self.reader = reader
        self.report = report
        self.state = state
    }

    /// Runs until the end of the file, or until `isInterrupted` says so; answers whether it is the end.
    mutating func run(isInterrupted: () -> Bool) async throws -> Bool {
        var progress = ImportProgress(state, length: reader.length)
        var savedAt = ContinuousClock.now
        var isAtEnd = false
        // Why: batches that are under way when this fails are answered or not; the state does not count them.
        defer { for task in underWay { task.cancel() } }
        do {
            // Before anything is sent: a place that cannot be written is said at once.
            try stateFile?.save(state)
            while true {
                while !isAtEnd, !isInterrupted(), underWay.count < inFlight {
                    guard let piece = try reader.next(Self.batchCount) else {
                        isAtEnd = true
                        break
                    }
                    begin(piece)
                }
                guard !underWay.isEmpty else { break }
                try count(try await underWay.removeFirst().value.get())
                progress.show(state)
                if savedAt.duration(to: .now) >= .seconds(1) {
                    try stateFile?.save(state)
                    savedAt = .now
                }
            }
        } catch {
            Terminal.progress("")
            try stateFile?.save(state)
            throw error
        }
        Terminal.progress("")
        if isAtEnd { stateFile?.remove() } else { try stateFile?.save(state) }
        return isAtEnd
    }

    private mutating func begin(_ piece: LineReader.Piece) {
        let (client, form, template) = (client, form, template)
        underWay.append(
            Task {
                do throws(CarillonError) {
                    return .success(try await ImportBatch.register(piece, form, template, with: client))
                } catch {
                    return .failure(error)
                }
            }
        )
    }

    private mutating func count(_ batch: ImportBatch) throws {
        try report.add(batch.refusals)
        state.lines += batch.lines
        state.offset = batch.end
        state.refused += batch.refusals.count
        state.reportBytes = report.byteCount
        state.results.merge(batch.results) { $0 + $1 }
    }
}
