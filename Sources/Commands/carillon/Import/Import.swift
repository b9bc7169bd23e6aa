import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Imports a file of registrations: several batches are in flight at once; they are counted in the order of the file.
struct Import {
    private static let batchLineCount = 1_000

    let client: CarillonClient
    let settings: ImportSettings
    var reader: LineReader
    var report: RefusalReport
    private(set) var state: ImportState
    private var pendingBatches: [Task<Result<ImportBatch, CarillonError>, Never>] = []

    init(
        client: CarillonClient, settings: ImportSettings, reader: LineReader, report: RefusalReport, state: ImportState
    ) {
        self.client = client
        self.settings = settings
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
            try settings.stateFile?.save(state)
            while true {
                while !isAtEnd, !isInterrupted(), pendingBatches.count < settings.maximumInFlight {
                    guard let piece = try reader.next(Self.batchLineCount) else {
                        isAtEnd = true
                        break
                    }
                    begin(piece)
                }
                guard !pendingBatches.isEmpty else { break }
                try count(try await pendingBatches.removeFirst().value.get())
                progress.show(state)
                if savedAt.duration(to: .now) >= .seconds(1) {
                    try settings.stateFile?.save(state)
                    savedAt = .now
                }
            }
        } catch {
            StandardError.clearProgress()
            try settings.stateFile?.save(state)
            throw error
        }
        StandardError.clearProgress()
        if isAtEnd { settings.stateFile?.remove() } else { try settings.stateFile?.save(state) }
        return isAtEnd
    }

    private mutating func begin(_ piece: LineReader.Piece) {
        let client = client
        let settings = settings
        pendingBatches.append(
            Task {
                do throws(CarillonError) {
                    return .success(
                        try await ImportBatch.register(
                            piece, lineFormat: settings.lineFormat, template: settings.template, with: client))
                } catch {
                    return .failure(error)
                }
            }
        )
    }

    private mutating func count(_ batch: ImportBatch) throws {
        try report.add(batch.refusals)
        state.lines += batch.lineCount
        state.offset = batch.endOffset
        state.refused += batch.refusals.count
        state.reportBytes = report.byteCount
        state.results.merge(batch.results) { $0 + $1 }
    }
}

/// The settings of an import, which stay the same from its start to its end.
struct ImportSettings {
    var lineFormat: LineFormat
    var template: RegistrationLine.Template
    /// The maximum number of batches in flight.
    var maximumInFlight: Int
    /// The file of the state; nil for standard input, which cannot be read again.
    var stateFile: ImportStateFile?
}
