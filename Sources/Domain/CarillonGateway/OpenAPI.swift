import CarillonCore

/// The description of the service API in OpenAPI 3.1, made from the same layouts as its routes.
package struct OpenAPI: Sendable {
    private let table: LayoutTable
    private let version: String

    /// Makes the description of the requests of a gateway.
    ///
    /// - Parameter version: the version of the server.
    package init(_ gateway: Gateway, version: String) {
        table = gateway.table
        self.version = version
    }

    /// The document as JSON.
    package var json: [UInt8] {
        var output = JSONStreamWriter()
        output.object { output in
            output.member("openapi", "3.1.0")
            output.name("info")
            output.object { output in
                output.member("title", "Carillon")
                output.member("version", version)
                output.member(
                    "description",
                    "The requests of the protocol CRLN/1 as JSON. Protocol/Carillon-v1.md says what each means.")
            }
            output.name("security")
            output.json(Array(#"[{"key":[]}]"#.utf8))
            output.name("paths")
            output.object { output in
                for operation in table.served { path(operation, to: &output) }
                events(to: &output)
            }
            output.name("components")
            output.object { components(to: &$0) }
        }
        return output.bytes
    }

    private func path(_ operation: LayoutTable.Operation, to output: inout JSONStreamWriter) {
        output.name("/v1/\(operation.name)")
        output.object { output in
            output.name("post")
            output.object { output in
                output.member("operationId", operation.name)
                output.member("summary", operation.name.uppercased())
                parameters(hasKey: operation.request.fixed.contains { $0.type == .uuid }, to: &output)
                output.name("requestBody")
                output.object { output in
                    output.member("required", true)
                    content(type: "application/json", to: &output) {
                        schema(operation.request, isRequest: true, to: &$0)
                    }
                }
                responses(to: &output) { output in
                    content(type: "application/json", to: &output) {
                        schema(operation.answer, isRequest: false, to: &$0)
                    }
                }
            }
        }
    }

    private func parameters(hasKey: Bool, to output: inout JSONStreamWriter) {
        output.name("parameters")
        output.array { output in
            if hasKey {
                output.object { output in
                    output.member("name", "Idempotency-Key")
                    output.member("in", "header")
                    output.member("description", "A UUID: the field `key` as a header.")
                    output.name("schema")
                    simple("string", format: "uuid", to: &output)
                }
            }
            output.object { $0.member("$ref", "#/components/parameters/position") }
        }
    }

    private func events(to output: inout JSONStreamWriter) {
        guard let operation = table.operation(named: "subscribe_events") else { return }
        var layout = operation.request
        layout.fixed.removeAll { $0.name == "name" || $0.name == "credit" }
        output.name("/v1/events")
        output.object { output in
            output.name("post")
            output.object { output in
                output.member("operationId", "events")
                output.member("summary", "Events, a JSON object a line, until the caller closes the connection.")
                parameters(hasKey: false, to: &output)
                output.name("requestBody")
                output.object { output in
                    content(type: "application/json", to: &output) { schema(layout, isRequest: true, to: &$0) }
                }
                responses(to: &output) { output in
                    content(type: "application/x-ndjson", to: &output) {
                        schema(table.event, isRequest: false, to: &$0)
                    }
                }
            }
        }
    }

    private func responses(to output: inout JSONStreamWriter, _ success: (inout JSONStreamWriter) -> Void) {
        output.name("responses")
        output.object { output in
            output.name("200")
            output.object { output in
                output.member("description", "It is done, and what it has changed is on disk.")
                output.name("headers")
                output.object { output in
                    output.name("Carillon-Position")
                    output.object { $0.member("$ref", "#/components/headers/position") }
                }
                success(&output)
            }
            output.name("default")
            output.object { $0.member("$ref", "#/components/responses/error") }
        }
    }

    private func content(type: String, to output: inout JSONStreamWriter, _ schema: (inout JSONStreamWriter) -> Void) {
        output.name("content")
        output.object { output in
            output.name(type)
            output.object { output in
                output.name("schema")
                schema(&output)
            }
        }
    }

    private func components(to output: inout JSONStreamWriter) {
        output.name("securitySchemes")
        output.object { output in
            output.name("key")
            output.object { output in
                output.member("type", "http")
                output.member("scheme", "bearer")
                output.member("description", "An API key, as `carillond make-key` prints it.")
            }
        }
        positions(to: &output)
        output.name("responses")
        output.object { output in
            output.name("error")
            output.object { output in
                let statuses = ErrorStatus.table.map { "\($0.status): \($0.errors)" }.joined(separator: "; ")
                output.member("description", "The request was refused. \(statuses).")
                content(type: "application/json", to: &output, errorSchema)
            }
        }
    }

    private func errorSchema(to output: inout JSONStreamWriter) {
        output.object { output in
            output.member("type", "object")
            output.name("properties")
            output.object { output in
                output.name("error")
                schema(table.error, isRequest: false, to: &output)
            }
        }
    }

    /// Writes the header of a cluster's answers, and of requests of a client that has seen it at another node.
    private func positions(to output: inout JSONStreamWriter) {
        output.name("parameters")
        output.object { output in
            output.name("position")
            output.object { output in
                output.member("name", "Carillon-Position")
                output.member("in", "header")
                output.member(
                    "description",
                    "As an answer had it, of any node: the answer shows what that one has shown, or is BEHIND.")
                output.name("schema")
                simple("string", to: &output)
            }
        }
        output.name("headers")
        output.object { output in
            output.name("position")
            output.object { output in
                output.member("description", "Of a node of a cluster: how far it is in the log, for other nodes.")
                output.name("schema")
                simple("string", to: &output)
            }
        }
    }

    // MARK: Schemas

    private func schema(_ layout: PayloadLayout, isRequest: Bool, to output: inout JSONStreamWriter) {
        output.object { output in
            output.member("type", "object")
            if isRequest { output.member("additionalProperties", false) }
            let required = layout.fixed.map(\.name).filter { !isRequest || Self.isRequired($0) }
            if !required.isEmpty {
                output.name("required")
                output.array { output in for name in required { output.string(name) } }
            }
            output.name("properties")
            output.object { output in
                for field in layout.fields {
                    output.name(field.name)
                    schema(field.type, to: &output)
                }
            }
        }
    }

    /// Returns true for the fields that a request cannot do without.
    private static func isRequired(_ name: String) -> Bool {
        ["app", "device", "token", "message_id", "group", "topic", "condition"].contains(name)
    }

    private func schema(_ type: FieldType, to output: inout JSONStreamWriter) {
        switch type {
        case .number(let bytes, let form): schema(form, bytes: bytes, to: &output)
        case .text: simple("string", to: &output)
        case .uuid: simple("string", format: "uuid", to: &output)
        case .token: simple("string", about: "hexadecimal digits", to: &output)
        case .device:
            output.object { output in
                output.member("description", "The id of the device, or environment, kind and token.")
                output.name("oneOf")
                output.array { output in
                    simple("integer", to: &output)
                    simple("object", to: &output)
                }
            }
        case .bytes(.plain): simple("string", about: "hexadecimal digits", to: &output)
        case .bytes(.payload): simple("object", about: "the payload as APNs gets it", to: &output)
        case .bytes(.request(let name)), .bytes(.answer(let name)):
            guard let operation = table.operation(named: name) else { return simple("object", to: &output) }
            if case .bytes(.request) = type {
                schema(operation.request, isRequest: true, to: &output)
            } else {
                schema(operation.answer, isRequest: false, to: &output)
            }
        case .list(let item):
            output.object { output in
                output.member("type", "array")
                output.name("items")
                schema(item, to: &output)
            }
        case .structure(let fields): schema(PayloadLayout(fixed: fields), isRequest: false, to: &output)
        }
    }

    private func schema(_ form: NumberForm, bytes: Int, to output: inout JSONStreamWriter) {
        switch form {
        case .number: simple("integer", format: bytes == 8 ? "int64" : nil, to: &output)
        case .cursor: simple("string", about: "from an answer; as a place to begin, 0 or absent", to: &output)
        case .boolean: simple("boolean", to: &output)
        case .request: simple("string", about: "the name of a request", to: &output)
        case .word(let enumeration): words(enumeration, to: &output)
        case .flags(let enumeration):
            output.object { output in
                output.member("type", "array")
                output.name("items")
                words(enumeration, to: &output)
            }
        }
    }

    private func words(_ enumeration: Enumeration, to output: inout JSONStreamWriter) {
        output.object { output in
            output.member("description", "A value without a name is a number; null stands for none.")
            output.name("examples")
            output.array { output in for word in enumeration.words { output.string(word.word) } }
        }
    }

    private func simple(
        _ type: String, format: String? = nil, about description: String? = nil, to output: inout JSONStreamWriter
    ) {
        output.object { output in
            output.member("type", type)
            if let format { output.member("format", format) }
            if let description { output.member("description", description) }
        }
    }
}
