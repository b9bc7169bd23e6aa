import CarillonLMDB

/// The table `setnames`: app `u32`, number `u32` → kind `u8`, name. It leads from a number back to its set.
struct SetNameTable {
    let database: Database

    func get(
        _ number: SetNumber, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SetLabel? {
        try withKey(app: app, number) { key in try transaction.get(key, in: database, Self.decode) }
    }

    func put(_ label: SetLabel, for number: SetNumber, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try withKey(app: app, number) { key in
            try ByteWriter.withBytes(capacity: SetLabel.maximumBytes, { label.append(to: &$0) }) { value in
                try transaction.put(value, for: key, in: database)
            }
        }
    }

    func delete(_ number: SetNumber, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try withKey(app: app, number) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppNumber, SetNumber, SetLabel) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, number) = try ByteReader.read(key, of: "setnames") {
                (try $0.number(AppNumber.self), try $0.number(SetNumber.self))
            }
            try body(app, number, try Self.decode(value))
            return .proceed
        }
    }

    private func withKey<R>(app: AppNumber, _ number: SetNumber, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 8,
            {
                $0.append(app)
                $0.append(number)
            },
            body
        )
    }

    private static func decode(_ value: Span<UInt8>) throws -> SetLabel {
        try ByteReader.read(value, of: "setnames") { try SetLabel(&$0) }
    }
}
