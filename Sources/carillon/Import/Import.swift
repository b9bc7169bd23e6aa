import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The import of a file of registrations: several batches are in flight at once; they are counted in the order of the
/// file.
struct Import {
    private static let batchCount = 1_000

    let client: CarillonClient
    let form: LineForm
    let template: RegistrationLine.Template
    /// The most batches in flight.
    let inFlight: Int
    /// The file of the state; nil for standard input, which cannot be read again.
    let stateFile: ImportStateFile?
    var reader: LineReader
    var report: RefusalReport
    private(set) var state: ImportState
    private var pendingBatches: [Task<Result<ImportBatch, CarillonError>, Never>] = []

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

    /// Imports until the end of the file, or until `isInterrupted` returns true.
    ///
    /// - Returns: true if the end of the file was reached.
    mutating func run(isInterrupted: () -> Bool) async throws -> Bool {
        var progress = ImportProgress(state, length: reader.length)
        var savedAt = ContinuousClock.now
        var isAtEnd = false
        // The state does not count batches that are in flight when this fails, whether they are answered or not.
        defer { for task in pendingBatches { task.cancel() } }
        do {
            // The state is saved before anything is sent, so that a path that cannot be written is reported at once.
            try stateFile?.save(state)
            while true {
                while !isAtEnd, !isInterrupted(), pendingBatches.count < inFlight {
                    guard let piece = try reader.next(Self.batchCount) else {
                        isAtEnd = true
                        break
                    }
                    begin(piece)
                }
                guard !pendingBatches.isEmpty else { break }
                try count(try await pendingBatches.removeFirst().value.get())
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
        pendingBatches.append(
            Task {
                do throws(CarillonError) {
                    return .success(try await ImportBatch.register(piece, form: form, template: template, with: client))
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
