package carillon

import (
	"context"
	"io"
)

// defaultPageRows is the number of rows of a page if the program does not say another one.
const defaultPageRows = 1000

// PageRequest says which page of a listing is asked for. The zero value is the first page with up to 1,000 rows.
type PageRequest struct {
	// Cursor is 0, or Next of the page before.
	Cursor uint64
	// Limit is how many rows the page has at most, 1 to 1,000; 0 = 1,000.
	Limit uint32
}

func (p PageRequest) limit() uint32 { return NamePageRequest{Limit: p.Limit}.limit() }

// NamePageRequest is PageRequest for listings whose rows have names.
type NamePageRequest struct {
	// After is empty, or Next of the page before.
	After string
	// Limit is how many rows the page has at most, 1 to 1,000; 0 = 1,000.
	Limit uint32
}

func (p NamePageRequest) limit() uint32 {
	if p.Limit == 0 {
		return defaultPageRows
	}
	return p.Limit
}

// DeviceIDPage is a page of device ids.
type DeviceIDPage struct {
	// Next is Cursor of the next page; 0 after the last one.
	Next    uint64
	Devices []uint64
}

// Iterator goes over all rows of a listing and asks for the next page when it is needed. It is for one goroutine.
type Iterator[T any] struct {
	rows  []T
	fetch func(context.Context) (rows []T, isLast bool, err error)
	isEnd bool
}

// Next returns the next row; io.EOF after the last one. After another error it can be called again.
func (i *Iterator[T]) Next(ctx context.Context) (row T, err error) {
	for len(i.rows) == 0 {
		if i.isEnd {
			return row, io.EOF
		}
		rows, isLast, err := i.fetch(ctx)
		if err != nil {
			return row, err
		}
		i.rows, i.isEnd = rows, isLast
	}
	row, i.rows = i.rows[0], i.rows[1:]
	return row, nil
}

// All returns all rows that are left.
func (i *Iterator[T]) All(ctx context.Context) ([]T, error) {
	var all []T
	for {
		row, err := i.Next(ctx)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, row)
	}
}

func iterateNumbers[T any](fetch func(context.Context, PageRequest) ([]T, uint64, error)) *Iterator[T] {
	var page PageRequest
	return &Iterator[T]{fetch: func(ctx context.Context) ([]T, bool, error) {
		rows, next, err := fetch(ctx, page)
		if err == nil {
			page.Cursor = next
		}
		return rows, next == 0, err
	}}
}

func iterateDevices(fetch func(context.Context, PageRequest) (*DeviceIDPage, error)) *Iterator[uint64] {
	return iterateNumbers(func(ctx context.Context, page PageRequest) ([]uint64, uint64, error) {
		found, err := fetch(ctx, page)
		if err != nil {
			return nil, 0, err
		}
		return found.Devices, found.Next, nil
	})
}

func iterateNames[T any](fetch func(context.Context, NamePageRequest) ([]T, string, error)) *Iterator[T] {
	var page NamePageRequest
	return &Iterator[T]{fetch: func(ctx context.Context) ([]T, bool, error) {
		rows, next, err := fetch(ctx, page)
		if err == nil {
			page.After = next
		}
		return rows, next == "", err
	}}
}
